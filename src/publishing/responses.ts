import { array, object, string, type InferType } from 'yup'
import { STEP_TYPES } from '../automation-engine/index.ts'
import { count, EXAMPLE_ID, id, timestamp } from '../http/index.ts'
import { REMOVED_STEPS } from './entities.ts'
import type { Preview } from './preview.ts'
import type { MoveProgress } from './publish.ts'

const stepPreview = object({
  version: count('The version in which the contacts are.', 6),
  stepId: string().nullable().defined().meta({ description: 'null after the last step.', example: EXAMPLE_ID }),
  stepName: string().nullable().defined().meta({ example: 'Second tip' }),
  stepType: string().oneOf(STEP_TYPES).nullable().defined().meta({ example: 'WAIT' }),
  inside: count('The number of contacts at this step: the sum of the next four.', 557),
  stays: count('They stay, and wait as long as before.', 0),
  rescheduled: count('They stay, and the end of their wait is computed again.', 557),
  dueNow: count('They stay, and continue at once, because the new end of their wait has passed.', 0),
  removed: count('The new version does not have the step.', 0),
  continuesAt: string().nullable().defined().meta({
    description:
      'With removedSteps CONTINUE: the step at which they continue. null if the step stays, or no later step does: they complete.',
    example: null,
  }),
})
  .required()
  .meta({ component: 'PublicationPreviewStep' })

export const previewResponse = object({
  version: count('The version that would be published.', 7),
  inside: count('The number of active enrollments in older versions.', 1204),
  emailsAhead: count('The most emails that they can still get in their versions.', 1851),
  steps: array().of(stepPreview).required().meta({ description: 'By version and position.' }),
})
  .required()
  .meta({ component: 'PublicationPreview', description: 'What a publication would do to the contacts inside.' })

export const presentPreview = (preview: Preview): InferType<typeof previewResponse> => preview

const STATUSES = ['RUNNING', 'STOPPED', 'FINISHED'] as const

export const moveResponse = object({
  automationId: id('automation'),
  version: count('The version that was published.', 7),
  inside: string().oneOf(['MOVE', 'FINISH']).required().meta({ example: 'MOVE' }),
  removedSteps: string().oneOf(REMOVED_STEPS).required().meta({ example: 'CONTINUE' }),
  status: string().oneOf(STATUSES).required().meta({ example: 'RUNNING' }),
  total: count('The number of enrollments in older versions at the start.', 1204),
  remaining: count('The number of enrollments that are still in older versions.', 310),
  startedBy: string().required().meta({
    description: 'Who published it: an email address, or the name of a key.',
    example: 'ada@example.com',
  }),
  startedAt: timestamp('When it was published.'),
  stoppedAt: timestamp('When it was stopped.').nullable().defined(),
  finishedAt: timestamp('When it finished.').nullable().defined(),
})
  .required()
  .meta({ component: 'AutomationMove', description: 'What a publication does to the contacts inside.' })

export const presentMove = ({ move, remaining }: MoveProgress): InferType<typeof moveResponse> => ({
  automationId: move.automationId,
  version: move.version,
  inside: move.inside,
  removedSteps: move.removedSteps,
  status: move.finishedAt ? 'FINISHED' : move.stoppedAt ? 'STOPPED' : 'RUNNING',
  total: move.total,
  remaining,
  startedBy: move.startedBy,
  startedAt: move.startedAt.toISOString(),
  stoppedAt: move.stoppedAt?.toISOString() ?? null,
  finishedAt: move.finishedAt?.toISOString() ?? null,
})
