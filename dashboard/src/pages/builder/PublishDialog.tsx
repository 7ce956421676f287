import { Button, Modal, Radio, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { count, plural, timeOf } from '../../lib/format.ts'
import type { ApiCall } from '../../lib/curl.ts'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import type { AutomationDraft } from './draft.ts'
import { publishBodyOf } from './load-automation.ts'
import { canEmailAfter, canEmailFrom } from './next-email.ts'
import classes from './PublishDialog.module.css'
import { PublishPreview } from './PublishPreview.tsx'
import { indexTree } from './step-tree.ts'

/** A choice for the contacts inside. */
export type PublishChoice = Required<Pick<Schemas['Publication'], 'inside'>> &
  Pick<Schemas['Publication'], 'removedSteps'>
type Inside = PublishChoice['inside']

/** With more contacts, the name must be typed before they are ended. */
const TYPE_NAME_ABOVE = 100

const VERBS: Record<Inside, string> = { KEEP: 'keep', MOVE: 'move', FINISH: 'end' }

/** Asks before a version is published, with a choice for the contacts inside and what each does to them. */
export function PublishDialog({
  automation,
  draft,
  call,
  isPending,
  onPublish,
  onClose,
}: {
  automation: Schemas['Automation']
  draft: AutomationDraft
  /** The request of the button, without the choice. */
  call: ApiCall
  isPending: boolean
  onPublish: (choice: PublishChoice) => void
  onClose: () => void
}) {
  useReturnFocus()
  const [inside, setInside] = useState<Inside>('KEEP')
  const [removedSteps, setRemovedSteps] = useState<'CONTINUE' | 'END'>('CONTINUE')
  const [typed, setTyped] = useState('')
  const { steps } = publishBodyOf(draft)
  const { data, error, dataUpdatedAt } = useWorkspaceQuery(
    ['automations', automation.id, 'publish preview', steps],
    async (api, signal) => {
      const given = { params: { path: { id: automation.id } }, body: { ...(steps && { steps }) }, signal }
      return (await api.POST('/automations/{id}/publish/preview', given)).data.data
    },
    { once: true },
  )
  const version = data?.version ?? automation.version + 1
  const choice: PublishChoice = { inside, ...(inside === 'MOVE' && { removedSteps }) }
  const mustType = inside === 'FINISH' && (data?.inside ?? Infinity) > TYPE_NAME_ABOVE
  const removed = data?.steps.reduce((sum, step) => sum + step.removed, 0) ?? 0
  const emailed = data && inside === 'MOVE' ? emailedAtOnce(data, choice, draft) : 0
  return (
    <Modal opened onClose={onClose} title={`Publish version ${version}?`} centered size="560px">
      <p className="t2">
        Contacts who enter from now on get version {version}. For the{' '}
        <b>{data ? plural(data.inside, 'active contact') : 'active contacts'}</b> in older versions:
      </p>
      {error && <ErrorBanner error={error} />}
      <Radio.Group aria-label="Active contacts" value={inside} onChange={(value) => setInside(value)}>
        <div className={classes.choices}>
          <Choice
            value="KEEP"
            label="Keep their version (default)"
            description="They finish their version. Their emails stay the same."
          />
          <Choice
            value="MOVE"
            label={`Move to version ${version}`}
            description={data ? moveSentence(data) : 'They continue at the same step.'}
          />
          <Choice
            value="FINISH"
            label="End now"
            description={
              <>
                {data && data.emailsAhead > 0 ? (
                  <>
                    Up to <b className={classes.lost}>{plural(data.emailsAhead, 'remaining email')}</b> will not be
                    sent.
                  </>
                ) : (
                  'They get no further email of this automation.'
                )}{' '}
                This can’t be undone.
              </>
            }
          />
        </div>
      </Radio.Group>
      {inside === 'MOVE' && removed > 0 && (
        <Radio.Group
          label={`${plural(removed, 'contact')} at removed steps`}
          value={removedSteps}
          onChange={(value) => setRemovedSteps(value)}
          mt={12}
        >
          <Radio value="CONTINUE" label="Continue at the next step" mt={4} />
          <Radio value="END" label="End" mt={4} />
        </Radio.Group>
      )}
      {data && data.steps.length > 0 && (
        <PublishPreview preview={data} choice={choice} running={automation} draft={draft} />
      )}
      {mustType && (
        <TextInput
          mt={12}
          label={`Type “${automation.name}” to confirm`}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          error={typed !== '' && typed !== automation.name && 'The name doesn’t match'}
        />
      )}
      {emailed > 0 && (
        <p className={classes.warning} role="alert">
          {plural(emailed, 'contact continues', 'contacts continue')} at once: they can get their next email now.
        </p>
      )}
      <div className={classes.footer}>
        <p className="t3 sm">{data && `Counted at ${timeOf(new Date(dataUpdatedAt))}, and again when you publish`}</p>
        <div className={classes.buttons}>
          <CurlButton call={{ ...call, body: { ...(call.body as object), ...choice } }} />
          <Button onClick={onClose} disabled={isPending}>
            Keep editing
          </Button>
          <Button
            variant="filled"
            {...(inside === 'FINISH' && { color: 'bad' })}
            loading={isPending}
            onClick={() => {
              if (!mustType || typed === automation.name) onPublish(choice)
            }}
            data-autofocus
          >
            Publish, {VERBS[inside]} {data ? count(data.inside) : 'all'}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

const Choice = ({ value, label, description }: { value: Inside; label: string; description: ReactNode }) => (
  <div className={classes.choice}>
    <Radio value={value} label={label} description={description} />
  </div>
)

/** Describes what a move does: "They continue at the same step. 557 get a new wait time." */
function moveSentence({ steps }: Schemas['PublicationPreview']): ReactNode {
  const sum = (what: 'rescheduled' | 'dueNow' | 'removed') => steps.reduce((total, step) => total + step[what], 0)
  const parts = [
    { number: sum('rescheduled'), text: 'get a new wait time' },
    { number: sum('dueNow'), text: 'continue at once' },
    { number: sum('removed'), text: 'are at removed steps' },
  ].filter(({ number }) => number > 0)
  return (
    <>
      They continue where they are, and get no email twice.
      {parts.map(({ number, text }, index) => (
        <span key={text}>
          {index === 0 ? ' ' : index === parts.length - 1 ? ' and ' : ', '}
          <b>{count(number)}</b> {text}
          {index === parts.length - 1 && '.'}
        </span>
      ))}
    </>
  )
}

/** Counts the contacts who continue at once when they are moved, and can reach an email before the next wait. */
function emailedAtOnce(
  preview: Schemas['PublicationPreview'],
  { removedSteps }: PublishChoice,
  { steps }: AutomationDraft,
): number {
  const tree = indexTree(steps)
  return preview.steps.reduce((sum, { stepId, dueNow, removed, continuesAt }) => {
    const due = stepId !== null && canEmailAfter(stepId, steps, tree) ? dueNow : 0
    const isEmailed = removedSteps === 'CONTINUE' && continuesAt !== null && canEmailFrom(continuesAt, steps, tree)
    return sum + due + (isEmailed ? removed : 0)
  }, 0)
}
