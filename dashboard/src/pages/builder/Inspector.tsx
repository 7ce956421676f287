import { Button, Select, TextInput } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowUp,
  IconCopy,
  IconHourglass,
  IconLogout,
  IconMail,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useMetadataKeys, useEmailTemplates, useLists } from '../../api/queries.ts'
import { hasInvalidField } from '../../lib/has-invalid-field.ts'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import { CategorySelect, TemplateSelect } from '../../components/EmailSelects.tsx'
import { TRIGGERS, type Trigger } from '../automations/triggers.ts'
import classes from './Builder.module.css'
import type { Selected } from './Canvas.tsx'
import { CodeEditor } from '../../components/CodeEditor.tsx'
import { StepPreview } from './StepPreview.tsx'
import {
  type EditAction,
  type EmailStep,
  problemOf,
  type AutomationDraft,
  type Step,
  MAX_WAIT_DAYS,
  type StepFields,
  type WaitStep,
} from './draft.ts'

interface InspectorProps {
  sequence: AutomationDraft
  selected: Selected
  act: (act: EditAction) => void
  canEdit: boolean
  /** The step that was just added; its first field gets the focus. */
  newId: string | undefined
  onAdd: (type: Step['type'], at: number) => void
  onCopy: (id: string) => void
  onRemove: (id: string) => void
  onMove: (id: string, to: number) => void
}

/** Edits the selected trigger, step or end. */
export function Inspector(props: InspectorProps) {
  const { sequence, selected, act, canEdit } = props
  const place = sequence.steps.findIndex(({ id }) => id === selected)
  const step = sequence.steps[place]
  const set = (fields: Partial<Omit<AutomationDraft, 'steps'>>) => act({ do: 'change', change: { do: 'set', fields } })
  if (step === undefined) {
    return (
      <fieldset disabled={!canEdit} className="plainFields" onKeyDown={blurOnEscape}>
        {selected === 'end' ? (
          <EndFields sequence={sequence} set={set} />
        ) : (
          <TriggerFields sequence={sequence} set={set} />
        )}
        {canEdit && <AddButtons at={selected === 'end' ? sequence.steps.length : 0} onAdd={props.onAdd} />}
      </fieldset>
    )
  }
  const edit = (fields: StepFields) => act({ do: 'change', change: { do: 'edit', id: step.id, fields } })
  const problem = problemOf(step)
  return (
    <fieldset disabled={!canEdit} className="plainFields" onKeyDown={blurOnEscape}>
      <Head
        icon={step.type === 'EMAIL' ? <IconMail aria-hidden /> : <IconHourglass aria-hidden />}
        meaning={step.type === 'EMAIL' ? 'accent' : 'mute'}
        title={`Step ${place + 1}`}
        subtitle={step.type === 'EMAIL' ? 'Email' : 'Wait'}
      />
      {problem !== undefined && (
        <p className="small" role="alert" style={{ color: 'var(--bad)', marginBottom: 12 }}>
          {problem}.
        </p>
      )}
      {step.type === 'EMAIL' ? (
        <EmailFields key={`${step.id} ${canEdit}`} step={step} edit={edit} canEdit={canEdit} />
      ) : (
        <WaitFields key={step.id} step={step} edit={edit} isNew={props.newId === step.id} />
      )}
      {canEdit && (
        <div style={{ marginTop: 20 }}>
          <AddButtons at={place + 1} onAdd={props.onAdd} />
        </div>
      )}
      {canEdit && (
        <div className="row" style={{ marginTop: 8, marginLeft: -8 }}>
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconCopy aria-hidden />}
            onClick={() => props.onCopy(step.id)}
          >
            {' '}
            Duplicate
          </Button>
          <Button variant="subtle" color="gray" aria-label="Move up" onClick={() => props.onMove(step.id, place - 1)}>
            <IconArrowUp aria-hidden />
          </Button>
          <Button variant="subtle" color="gray" aria-label="Move down" onClick={() => props.onMove(step.id, place + 1)}>
            <IconArrowDown aria-hidden />
          </Button>
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconTrash aria-hidden />}
            onClick={() => props.onRemove(step.id)}
          >
            {' '}
            Delete
          </Button>
        </div>
      )}
    </fieldset>
  )
}

/** Leaves the field on Escape, so that the builder's shortcuts work. */
function blurOnEscape({ key, target, defaultPrevented }: KeyboardEvent): void {
  if (key === 'Escape' && !defaultPrevented) (target as HTMLElement).blur()
}

function Head({
  icon,
  meaning,
  title,
  subtitle,
}: {
  icon: ReactNode
  meaning: string
  title: string
  subtitle: string
}) {
  return (
    <div className={classes.head}>
      <span className={`${classes.mark} c-${meaning}`}>{icon}</span>
      <div>
        <h2>{title}</h2>
        <p className="small t3">{subtitle}</p>
      </div>
    </div>
  )
}

const AddButtons = ({ at, onAdd }: { at: number; onAdd: InspectorProps['onAdd'] }) => (
  <div className="row" style={{ marginTop: 8 }}>
    <Button leftSection={<IconPlus aria-hidden />} onClick={() => onAdd('EMAIL', at)}>
      Add email
    </Button>
    <Button leftSection={<IconPlus aria-hidden />} onClick={() => onAdd('WAIT', at)}>
      Add wait
    </Button>
  </div>
)

const TRIGGER_LABELS: Record<Trigger, string> = {
  SIGNUP: 'Contact created',
  LIST_ADDED: 'Added to list',
  LIST_REQUESTED: 'Asked to confirm (double opt-in)',
  TAG_ADDED: 'Tag added',
  EVENT: 'Event received',
}

function TriggerFields({
  sequence,
  set,
}: {
  sequence: AutomationDraft
  set: (fields: Partial<AutomationDraft>) => void
}) {
  const { icon: Icon } = TRIGGERS[sequence.trigger]
  const lists = useLists()
  const { listId, tagName, eventName } = sequence.triggerConfig as Record<string, string | undefined>
  return (
    <>
      <Head
        icon={<Icon aria-hidden />}
        meaning="mute"
        title="Trigger"
        subtitle="Contacts can also be enrolled through the API"
      />
      <div className={classes.fields}>
        <Select
          label="Trigger"
          allowDeselect={false}
          data={Object.entries(TRIGGER_LABELS).map(([value, label]) => ({ value, label }))}
          value={sequence.trigger}
          onChange={(value) => value && set({ trigger: value as Trigger, triggerConfig: {} })}
        />
        {(sequence.trigger === 'LIST_ADDED' || sequence.trigger === 'LIST_REQUESTED') && (
          <SearchableSelect
            label="List"
            placeholder="Choose a list"
            data={lists ?? []}
            value={listId ?? null}
            onChange={(value) => set({ triggerConfig: value === null ? {} : { listId: value } })}
          />
        )}
        {sequence.trigger === 'TAG_ADDED' && (
          <TextInput
            label="Tag"
            value={tagName ?? ''}
            onChange={({ currentTarget: { value } }) => set({ triggerConfig: { tagName: value } })}
          />
        )}
        {sequence.trigger === 'EVENT' && (
          <TextInput
            label="Event"
            description="The event name that you send to the API."
            placeholder="trial.started"
            value={eventName ?? ''}
            onChange={({ currentTarget: { value } }) => set({ triggerConfig: { eventName: value } })}
          />
        )}
      </div>
    </>
  )
}

function EndFields({ sequence, set }: { sequence: AutomationDraft; set: (fields: Partial<AutomationDraft>) => void }) {
  return (
    <>
      <Head
        icon={<IconLogout aria-hidden />}
        meaning="mute"
        title="End"
        subtitle="Contacts who get here have completed the automation"
      />
      <Select
        label="If an email bounces"
        allowDeselect={false}
        data={[
          { value: 'CONTINUE', label: 'Continue to the next step' },
          { value: 'STOP', label: 'Stop this contact’s enrollment' },
        ]}
        value={sequence.onSendFailure}
        onChange={(value) => value && set({ onSendFailure: value })}
      />
    </>
  )
}

const UNITS = [
  ['Days', 1_440],
  ['Hours', 60],
  ['Minutes', 1],
] as const

const toUnits = (minutes: number): number[] => {
  let rest = minutes
  return UNITS.map(([, size]) => {
    const value = Math.floor(rest / size)
    rest -= value * size
    return value
  })
}
const toMinutes = (values: readonly number[]): number =>
  UNITS.reduce((sum, [, size], n) => sum + (values[n] ?? 0) * size, 0)

function WaitFields({ step, edit, isNew }: { step: WaitStep; edit: (fields: StepFields) => void; isNew: boolean }) {
  // Kept as typed: 90 minutes do not become 1 hour 30 minutes while the user types.
  const [typed, setTyped] = useState(() => toUnits(step.delayMinutes))
  const values = toMinutes(typed) === step.delayMinutes ? typed : toUnits(step.delayMinutes)
  const units = useRef<HTMLDivElement>(null)
  return (
    <div ref={units} className={classes.units}>
      {UNITS.map(([label, size], n) => (
        <IntegerInput
          key={label}
          label={label}
          autoFocus={isNew && n === 0}
          min={0}
          max={(MAX_WAIT_DAYS * 1_440) / size}
          value={values[n] ?? 0}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onChange={(next) => {
            const now = values.with(n, next ?? 0)
            setTyped(now)
            edit({ delayMinutes: toMinutes(now) })
          }}
          onBlur={() => {
            // Invalid text stays as typed.
            if (!units.current || !hasInvalidField(units.current)) setTyped(toUnits(step.delayMinutes))
          }}
        />
      ))}
    </div>
  )
}

function EmailFields({
  step,
  edit,
  canEdit,
}: {
  step: EmailStep
  edit: (fields: StepFields) => void
  canEdit: boolean
}) {
  const keys = useMetadataKeys()
  const [wasEmpty] = useState(step.subject === '')
  const shared = { keys, readOnly: !canEdit }
  return (
    <div className={classes.fields}>
      <CategorySelect value={step.category} onChange={(category) => edit({ category })} />
      <TemplateChoice step={step} edit={edit} />
      {step.templateId === null && <ContentFields step={step} edit={edit} shared={shared} wasEmpty={wasEmpty} />}
    </div>
  )
}

/** Selects a template, or content of the step itself. */
function TemplateChoice({ step, edit }: { step: EmailStep; edit: (fields: StepFields) => void }) {
  const templates = useEmailTemplates()
  if (step.templateId === null && (templates ?? []).length === 0) return null
  const chosen = templates?.find(({ id }) => id === step.templateId)
  const isOlder = chosen !== undefined && step.templateVersion !== null && step.templateVersion < chosen.version
  return (
    <>
      <TemplateSelect
        templates={templates}
        value={step.templateId}
        onChange={(value) => {
          const template = templates?.find(({ id }) => id === value)
          edit(
            template
              ? { templateId: template.id, templateVersion: null, subject: template.subject ?? '' }
              : { templateId: null, templateVersion: null },
          )
        }}
      />
      {step.templateId !== null && (
        <p className="small t3">
          {step.templateVersion === null
            ? 'Uses the template as it is when you publish.'
            : `Uses template version ${step.templateVersion}.`}{' '}
          {isOlder && (
            <Button variant="subtle" size="compact-sm" onClick={() => edit({ templateVersion: null })}>
              Update to version {chosen.version}
            </Button>
          )}
        </p>
      )}
    </>
  )
}

function ContentFields({
  step,
  edit,
  shared,
  wasEmpty,
}: {
  step: EmailStep
  edit: (fields: StepFields) => void
  shared: { keys: readonly string[]; readOnly: boolean }
  wasEmpty: boolean
}) {
  return (
    <>
      <CodeEditor
        {...shared}
        as="line"
        label="Subject"
        autoFocus={wasEmpty}
        placeholder="Welcome, {{ contact.firstName }}!"
        value={step.subject}
        onChange={(subject) => edit({ subject })}
      />
      <CodeEditor
        {...shared}
        label="Plain text"
        description="For email clients that don’t show HTML."
        value={step.text ?? ''}
        onChange={(text) => edit({ text: text === '' ? null : text })}
      />
      <CodeEditor
        {...shared}
        as="html"
        label="HTML"
        value={step.html ?? ''}
        onChange={(html) => edit({ html: html === '' ? null : html })}
      />
      <StepPreview step={step} />
    </>
  )
}
