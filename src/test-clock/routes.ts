import { boolean, number, object } from 'yup'
import { AUTOMATION_NOT_FOUND } from '../automations/index.ts'
import { CONTACT_PARAM } from '../contacts/index.ts'
import { NOT_ENROLLED } from '../enrollments/index.ts'
import { id, ok, operation, single, timestamp } from '../http/index.ts'
import { enqueue } from '../outbox/index.ts'
import { ApiError, invalid } from '../platform/api-error.ts'
import { advanceClock } from '../workspaces/index.ts'
import { NOT_WAITING, TEST_WORKSPACE_ONLY } from './errors.ts'
import { skipWait } from './skip-wait.ts'

/** Maximum minutes by which a clock can be ahead: twenty years. */
const MAX_CLOCK_AHEAD_MINUTES = 20 * 366 * 24 * 60

const TOO_FAR = `minutes must not move the clock more than ${MAX_CLOCK_AHEAD_MINUTES} minutes ahead, in all`

const clockInput = object({
  minutes: number()
    .integer()
    .min(1)
    .max(MAX_CLOCK_AHEAD_MINUTES)
    .required()
    .meta({ description: 'How far the clock moves, in minutes.', example: 1440 }),
})

const clockResponse = object({
  now: timestamp('The time of the workspace.'),
  clockAheadMinutes: number()
    .integer()
    .required()
    .meta({ description: 'How far the clock is ahead, in minutes, in all.', example: 1440 }),
})
  .required()
  .meta({ component: 'Clock' })

const skipResponse = object({
  automationId: id('automation'),
  contactId: id('contact'),
  skipped: boolean().required().meta({ description: 'Always true.', example: true }),
})
  .required()
  .meta({ component: 'SkippedWait' })

/** Operations that skip time, in test workspaces. */
export const testClockOperations = [
  operation({
    id: 'skipWait',
    method: 'POST',
    path: '/automations/{id}/enrollments/{contactId}/skip',
    params: { contactId: CONTACT_PARAM },
    tag: 'Automations',
    summary: "Skip a contact's wait",
    description:
      'Only in a test workspace: ends the wait before the next step now. A wait for an event ends as timed out. In an ' +
      'automation with a concurrency key, this ends the waits with all keys.',
    scope: 'automations:write',
    responses: { 202: { description: 'The wait ends.', schema: single(skipResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND, NOT_ENROLLED], 409: [TEST_WORKSPACE_ONLY, NOT_WAITING] },
    async handle({ caller, params, call }, dependencies) {
      const { id: automationId, contactId } = params
      await skipWait(dependencies, caller.workspace, { automationId, contactId }, call)
      return { ...ok({ automationId, contactId, skipped: true }), status: 202 }
    },
  }),
  operation({
    id: 'moveClock',
    method: 'POST',
    path: '/workspaces/current/clock',
    tag: 'Settings',
    summary: 'Move the clock of a test workspace forward',
    description:
      'Only in a test workspace. Waits end as if the time had passed, one after the other, so that a whole automation can run. ' +
      'Conditions, and DATE and SEGMENT_ENTERED triggers, see the new time within a minute. What happens is stored and reported with ' +
      'its real time. The clock cannot be moved back.',
    scope: 'automations:write',
    body: clockInput,
    responses: { 200: { description: 'The new time.', schema: single(clockResponse) } },
    errors: { 400: [TOO_FAR], 409: [TEST_WORKSPACE_ONLY] },
    async handle({ caller, body }, { em }) {
      const { id: workspaceId, mode } = caller.workspace
      if (mode !== 'test') throw new ApiError(TEST_WORKSPACE_ONLY)
      const moved = { minutes: body.minutes, maximum: MAX_CLOCK_AHEAD_MINUTES }
      const clockAheadMinutes = await advanceClock(em, workspaceId, moved)
      if (clockAheadMinutes === undefined) throw invalid(TOO_FAR, '/minutes')
      await enqueue(em, { kind: 'MOVE_CLOCK', workspaceId })
      return ok({ now: new Date(Date.now() + clockAheadMinutes * 60_000).toISOString(), clockAheadMinutes })
    },
  }),
]
