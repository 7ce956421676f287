import { Button, Select, Switch } from '@mantine/core'
import { IconPlus, IconTargetArrow, IconTrash } from '@tabler/icons-react'
import { EventNameInput } from '../../../components/EventNameInput.tsx'
import { newCondition } from '../../../components/conditions/condition.ts'
import classes from '../Builder.module.css'
import type { AutomationDraft, ExitRule, LeaveRule } from '../draft.ts'
import { AutomationCondition, OptionalCondition } from './AutomationCondition.tsx'

const MAX_EXIT_RULES = 20
const NEW_RULE: LeaveRule = { eventName: '' }
const UNSUBSCRIBED: ExitRule = { event: 'unsubscribed' }

/** Edits the goal and the exit rules, which end an enrollment at any step. */
export function LeaveFields({
  sequence: { goal, exitOn },
  set,
}: {
  sequence: AutomationDraft
  set: (fields: Partial<AutomationDraft>) => void
}) {
  const rules = exitOn.filter((rule): rule is LeaveRule => !('event' in rule))
  const exitsOnOptOut = rules.length < exitOn.length
  const setRules = (next: readonly LeaveRule[], onOptOut = exitsOnOptOut) =>
    set({ exitOn: [...next, ...(onOptOut ? [UNSUBSCRIBED] : [])] })
  return (
    <>
      <section className={classes.section} aria-label="Goal">
        <h3>Goal</h3>
        {goal ? (
          <RuleFields
            name="Goal"
            rule={goal}
            onChange={(rule) => set({ goal: rule })}
            onRemove={() => set({ goal: null })}
          />
        ) : (
          <>
            <p className="small t2">Contacts exit at once when they reach the goal, at any step.</p>
            <div>
              <Button leftSection={<IconTargetArrow aria-hidden />} onClick={() => set({ goal: NEW_RULE })}>
                Set goal
              </Button>
            </div>
          </>
        )}
      </section>
      <section className={classes.section} aria-label="Exit rules">
        <h3>Exit rules</h3>
        <p className="small t2">Contacts exit at once when a rule applies, at any step.</p>
        <Switch
          label="Exit when the contact unsubscribes"
          description="Otherwise the contact continues without marketing emails."
          checked={exitsOnOptOut}
          onChange={({ currentTarget: { checked } }) => setRules(rules, checked)}
        />
        {rules.map((rule, n) => (
          <RuleFields
            key={n}
            name={`Exit rule ${n + 1}`}
            rule={rule}
            onChange={(next) => setRules(rules.with(n, next))}
            onRemove={() => setRules(rules.toSpliced(n, 1))}
          />
        ))}
        {exitOn.length < MAX_EXIT_RULES && (
          <div>
            <Button leftSection={<IconPlus aria-hidden />} onClick={() => setRules([...rules, NEW_RULE])}>
              Add exit rule
            </Button>
          </div>
        )}
      </section>
    </>
  )
}

function RuleFields({
  name,
  rule,
  onChange,
  onRemove,
}: {
  name: string
  rule: LeaveRule
  onChange: (rule: LeaveRule) => void
  onRemove: () => void
}) {
  const isEvent = 'eventName' in rule
  return (
    <div className={classes.rule} role="group" aria-label={name}>
      <Select
        label={`${name}: when`}
        allowDeselect={false}
        data={[
          { value: 'event', label: 'An event is received' },
          { value: 'condition', label: 'A condition is met' },
        ]}
        value={isEvent ? 'event' : 'condition'}
        onChange={(value) => onChange(value === 'event' ? NEW_RULE : { condition: newCondition() })}
      />
      {isEvent ? (
        <>
          <EventNameInput
            label={`${name}: event`}
            placeholder="subscription.started"
            value={rule.eventName}
            onChange={(eventName) => onChange({ ...rule, eventName })}
          />
          <OptionalCondition
            label="Only events that match"
            add="Add event filter"
            condition={rule.filter}
            onChange={(filter) => onChange({ eventName: rule.eventName, ...(filter && { filter }) })}
            sources={['eventData']}
            event={rule.eventName}
          />
        </>
      ) : (
        <AutomationCondition
          label={`${name}: contacts who match`}
          condition={rule.condition}
          onChange={(condition) => onChange({ condition })}
        />
      )}
      <div>
        <Button variant="subtle" color="gray" leftSection={<IconTrash aria-hidden />} onClick={onRemove}>
          Remove {name.toLowerCase()}
        </Button>
      </div>
    </div>
  )
}
