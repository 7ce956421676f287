import type { Schemas } from '../../api/client.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { count } from '../../lib/format.ts'
import { titleOf } from './describe-step.ts'
import type { AutomationDraft } from './draft.ts'
import type { PublishChoice } from './PublishDialog.tsx'
import classes from './PublishDialog.module.css'
import { indexTree } from './step-tree.ts'
import { STEP_TYPES } from './step-types.ts'

/** Lists what a choice does to the contacts at each step of their versions. */
export function PublishPreview({
  preview,
  choice,
  draft,
}: {
  preview: Schemas['PublicationPreview']
  choice: PublishChoice
  draft: AutomationDraft
}) {
  const names = useConditionNames()
  const tree = indexTree(draft.steps)
  const titleIn = (id: string | null) => {
    const found = id === null ? undefined : tree.find(id)
    return found && titleOf(found.step, names)
  }
  return (
    <details className={classes.preview}>
      <summary className="link">By step</summary>
      <dl className="facts">
        {preview.steps.map((step) => {
          const { version, stepId, stepName, stepType } = step
          const title = stepName ?? titleIn(stepId) ?? (stepType ? STEP_TYPES[stepType].label : 'End')
          return (
            <div key={`${version} ${stepId}`} style={{ display: 'contents' }}>
              <dt>
                Version {version}, {title}
              </dt>
              <dd>{outcomesOf(step, choice, titleIn(step.continuesAt)).join(', ')}</dd>
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
    { number: step.rescheduled, text: 'wait until another time' },
    { number: step.dueNow, text: 'continue at once' },
    { number: step.removed, text: removed },
  ].flatMap(({ number, text }) => (number > 0 ? [`${count(number)} ${text}`] : []))
}
