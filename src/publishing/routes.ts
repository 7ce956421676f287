import {
  AUTOMATION_CONFIRMS_LIST,
  AUTOMATION_NEVER_ACTS,
  AUTOMATION_NOT_FOUND,
  normalizeTrigger,
  prepareSteps,
  STEPS_LIMIT,
  waitForSendingMessages,
  written,
  writtenAutomationResponse,
} from '../automations/index.ts'
import { ok, operation, single, writeOnlyNote } from '../http/index.ts'
import { invalid } from '../platform/api-error.ts'
import { whenDurable } from '../platform/call.ts'
import { INVALID_TEMPLATE, TEMPLATE_NOT_FOUND, VARIABLE_MISSING } from '../templates/index.ts'
import { MOVE_NOT_FOUND } from './errors.ts'
import { previewPublication } from './preview.ts'
import { getMove, publishWithChoice, resumeMove, stopMove } from './publish.ts'
import { moveResponse, presentMove, presentPreview, previewResponse } from './responses.ts'
import { previewSchema, publishSchema } from './schemas.ts'

const NEEDS_MOVE = 'removedSteps is only for inside: MOVE'

const MOVE_RESPONSES = { 200: { description: 'The move, and its progress.', schema: single(moveResponse) } }
const MOVE_ERRORS = { 404: [AUTOMATION_NOT_FOUND, MOVE_NOT_FOUND] }

export const publishingOperations = [
  operation({
    id: 'publishAutomation',
    method: 'POST',
    path: '/automations/{id}/publish',
    tag: 'Automations',
    summary: 'Publish an automation',
    description:
      'Changes steps, fields and status atomically, like PUT …/steps and PATCH in one request. Running enrollments ' +
      `keep the steps they entered with, unless \`inside\` moves or ends them. ${writeOnlyNote('automations:read')}`,
    scope: 'automations:write',
    body: publishSchema,
    bodyLimit: STEPS_LIMIT,
    etag: true,
    ifMatch: true,
    responses: { 200: { description: 'The automation.', schema: single(writtenAutomationResponse) } },
    errors: {
      400: [NEEDS_MOVE, AUTOMATION_NEVER_ACTS, INVALID_TEMPLATE, VARIABLE_MISSING],
      404: [AUTOMATION_NOT_FOUND, TEMPLATE_NOT_FOUND],
      409: [AUTOMATION_CONFIRMS_LIST],
    },
    prepare: ({ caller, params, body }, dependencies) =>
      prepareSteps(dependencies, caller, normalizeTrigger(body), params.id),
    async handle({ caller, params, body, prepared, call, ifMatch }, dependencies) {
      if (body.removedSteps !== undefined && body.inside !== 'MOVE') throw invalid(NEEDS_MOVE, '/removedSteps')
      const { em } = dependencies
      const input = normalizeTrigger({ ...body, steps: prepared.steps })
      const automation = await publishWithChoice(em, caller, params.id, input, ifMatch)
      await whenDurable(dependencies, call, () => waitForSendingMessages(em, automation.automation))
      return written(caller, automation, body, prepared.warnings)
    },
  }),

  operation({
    id: 'previewPublication',
    method: 'POST',
    path: '/automations/{id}/publish/preview',
    tag: 'Automations',
    summary: 'Preview a publication',
    description:
      'Counts, per step of their present versions, the contacts inside, and what a publication of the steps would do to ' +
      'them. Without steps, for the present ones. Changes nothing.',
    scope: 'automations:read',
    changesNothing: true,
    body: previewSchema,
    bodyLimit: STEPS_LIMIT,
    responses: { 200: { description: 'The counts.', schema: single(previewResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND] },
    async handle({ caller, params, body }, { em }) {
      return ok(presentPreview(await previewPublication(em.fork(), caller.workspace.id, params.id, body)))
    },
  }),

  operation({
    id: 'getMove',
    method: 'GET',
    path: '/automations/{id}/move',
    tag: 'Automations',
    summary: 'Get the progress of a move',
    description: 'Returns what the last publication with `inside` MOVE or FINISH does to the contacts inside.',
    scope: 'automations:read',
    responses: MOVE_RESPONSES,
    errors: MOVE_ERRORS,
    async handle({ caller, params }, { em }) {
      return ok(presentMove(await getMove(em.fork(), caller.workspace.id, params.id)))
    },
  }),

  operation({
    id: 'stopMove',
    method: 'POST',
    path: '/automations/{id}/move/stop',
    tag: 'Automations',
    summary: 'Stop a move',
    description: 'After the response, no further contact moves or ends. Those that have moved or ended stay so.',
    scope: 'automations:write',
    responses: MOVE_RESPONSES,
    errors: MOVE_ERRORS,
    async handle({ caller, params }, { em }) {
      return ok(presentMove(await stopMove(em, caller.workspace.id, params.id)))
    },
  }),

  operation({
    id: 'resumeMove',
    method: 'POST',
    path: '/automations/{id}/move/resume',
    tag: 'Automations',
    summary: 'Resume a stopped move',
    description: 'Continues with the contacts that are still in older versions.',
    scope: 'automations:write',
    responses: MOVE_RESPONSES,
    errors: MOVE_ERRORS,
    async handle({ caller, params }, { em }) {
      return ok(presentMove(await resumeMove(em, caller.workspace.id, params.id)))
    },
  }),
]
