import type { Schemas } from '../../api/client.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { count } from '../../lib/format.ts'
import { titleOf } from './describe-step.ts'
import { type AutomationDraft, draftOf } from './draft.ts'
import type { PublishChoice } from './PublishDialog.tsx'
import classes from './PublishDialog.module.css'
import { indexTree } from './step-tree.ts'
import { STEP_TYPES } from './step-types.ts'

/** Lists what a choice does to the contacts at each step of their versions. */
export function PublishPreview({
  preview,
  choice,
  running,
  draft,
}: {
  preview: Schemas['PublicationPreview']
  choice: PublishChoice
  /** The published version. The steps of older ones are not known here, only their names and types. */
  running: Schemas['Automation']
  draft: AutomationDraft
}) {
  const names = useConditionNames()
  const titleIn = ({ steps }: AutomationDraft, id: string | null) => {
    const found = id === null ? undefined : indexTree(steps).find(id)
    return found && titleOf(found.step, names)
  }
  const runningContent = draftOf(running)
  return (
    <details className={classes.preview}>
      <summary className="link">By step</summary>
      <dl className="facts">
        {preview.steps.map((step) => {
          const { version, stepId, stepName, stepType } = step
          const title =
            (version === running.version ? titleIn(runningContent, stepId) : stepName) ??
            (stepType ? STEP_TYPES[stepType].label : 'End')
          return (
            <div key={`${version} ${stepId}`} style={{ display: 'contents' }}>
              <dt>
                Version {version}, {title}
              </dt>
              <dd>{outcomesOf(step, choice, titleIn(draft, step.continuesAt)).join(', ')}</dd>
            </div>
          )
        })}
      </dl>
    </details>
  )
}

function outcomesOf(
  step: Schemas['PublicationPreviewStep'],
  { inside, removedSteps }: PublishChoice,
  continuesAt: string | undefined,
): string[] {
  if (inside === 'KEEP') return [`${count(step.inside)} stay`]
  if (inside === 'FINISH') return [`${count(step.inside)} end`]
  const removed =
    removedSteps === 'END' ? 'end' : continuesAt === undefined ? 'complete' : `continue at “${continuesAt}”`
  return [
    { number: step.stays, text: 'stay' },
    { number: step.rescheduled, text: 'get a new wait time' },
    { number: step.dueNow, text: 'continue at once' },
    { number: step.removed, text: removed },
  ].flatMap(({ number, text }) => (number > 0 ? [`${count(number)} ${text}`] : []))
}
