import { object, string } from 'yup'
import { publicationFields } from '../automations/index.ts'
import { INSIDE, REMOVED_STEPS } from './entities.ts'

/** `POST /automations/{id}/publish`. */
export const publishSchema = object({
  ...publicationFields,
  inside: string()
    .oneOf(INSIDE)
    .meta({
      description:
        'What happens to the contacts inside, who are in older versions. KEEP: they finish their version. MOVE: they continue at ' +
        'the same step of the new version. FINISH: their enrollments end now. Default: KEEP.',
      example: 'MOVE',
    }),
  removedSteps: string()
    .oneOf(REMOVED_STEPS)
    .meta({
      description:
        'With MOVE: what happens to contacts at a step that the new version does not have. CONTINUE: they continue at the next ' +
        'step that it has. END: their enrollments end. Default: CONTINUE.',
      example: 'CONTINUE',
    }),
}).meta({
  component: 'Publication',
  example: { status: 'ACTIVE', steps: [{ type: 'EMAIL', subject: 'Hello', text: 'Hi' }], inside: 'MOVE' },
})

/** `POST /automations/{id}/publish/preview`. */
export const previewSchema = object({
  steps: publicationFields.steps,
  exitOn: publicationFields.exitOn,
  goal: publicationFields.goal,
}).meta({
  component: 'PublicationPreviewInput',
  example: { steps: [{ type: 'EMAIL', subject: 'Hello', text: 'Hi' }] },
})
