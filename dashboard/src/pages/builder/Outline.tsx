import { IconHourglass, IconLogout, IconMail } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { count, duration } from '../../lib/format.ts'
import { TRIGGERS } from '../automations/triggers.ts'
import { AddMenu, type CanvasProps, StatsLine } from './Canvas.tsx'
import classes from './Outline.module.css'
import { problemOf, type Step } from './draft.ts'

/** Lists the steps on a phone, instead of the canvas. */
export function Outline({ sequence, starts, selected, onSelect, onAdd, numbers }: CanvasProps) {
  const { icon: Icon } = TRIGGERS[sequence.trigger]
  const add = (at: number) => (
    <li className={classes.between}>{onAdd && <AddMenu at={at} onAdd={onAdd} label="Add step" />}</li>
  )
  return (
    <ol className={classes.outline} aria-label="Steps">
      <Item isSelected={selected === 'trigger'} onSelect={() => onSelect('trigger')} icon={<Icon aria-hidden />}>
        <span className="strong">{starts}</span>
        {numbers && <span className="small t2">{count(numbers.enrolled)} enrolled</span>}
      </Item>
      {add(0)}
      {sequence.steps.map((step, n) => [
        <Item
          key={step.id}
          isStep
          isSelected={selected === step.id}
          onSelect={() => onSelect(step.id)}
          icon={step.type === 'EMAIL' ? <IconMail aria-hidden /> : <IconHourglass aria-hidden />}
          meaning={step.type === 'EMAIL' ? 'accent' : 'mute'}
        >
          <span className="strong cut">
            {step.type === 'WAIT' ? `Wait ${duration(step.delayMinutes)}` : step.subject || 'No subject'}
          </span>
          <span className="small t2 cut">
            <StepDetail step={step} numbers={numbers} />
          </span>
        </Item>,
        <li key={`${step.id} after`} className={classes.between}>
          {onAdd && <AddMenu at={n + 1} onAdd={onAdd} label="Add step" />}
        </li>,
      ])}
      <Item
        isSelected={selected === 'end'}
        onSelect={() => onSelect('end')}
        icon={<IconLogout aria-hidden />}
        meaning="ok"
      >
        <span className="strong">End</span>
        {numbers && <span className="small t2">{count(numbers.completed)} completed</span>}
      </Item>
    </ol>
  )
}

function StepDetail({ step, numbers }: { step: Step; numbers: CanvasProps['numbers'] }): ReactNode {
  const own = numbers?.of(step.id)
  if (numbers) {
    if (!own) return null
    if (step.type === 'EMAIL') return <StatsLine numbers={own} />
    return own.here > 0 ? `${count(own.here)} here` : 'No contacts here'
  }
  return problemOf(step) ?? (step.type === 'EMAIL' ? 'Email' : 'Wait')
}

function Item({
  isSelected,
  isStep = false,
  onSelect,
  icon,
  meaning = 'mute',
  children,
}: {
  isSelected: boolean
  isStep?: boolean
  onSelect: () => void
  icon: ReactNode
  meaning?: string
  children: ReactNode
}) {
  return (
    <li>
      <button
        type="button"
        className={classes.item}
        aria-pressed={isSelected}
        onClick={onSelect}
        {...(isStep && { 'data-testid': 'step' })}
      >
        <span className={`${classes.mark} c-${meaning}`}>{icon}</span>
        <span className={classes.labels}>{children}</span>
      </button>
    </li>
  )
}
