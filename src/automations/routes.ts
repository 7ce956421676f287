import { ApiError } from '../platform/api-error.ts'
import { array } from 'yup'
import { AUTOMATION_NOT_FOUND, AUTOMATION_NEVER_ACTS, AUTOMATION_CONFIRMS_LIST } from './errors.ts'
import { INVALID_TEMPLATE, TEMPLATE_NOT_FOUND, VARIABLE_MISSING } from '../templates/index.ts'
import { draftOperations } from './draft-routes.ts'
import { Automation } from './entities.ts'
import { automationPage } from './queries.ts'
import {
  createAutomation,
  getAutomation,
  waitForSendingMessages,
  replaceSteps,
  updateAutomation,
} from './automations.ts'
import { whenDurable } from '../platform/call.ts'
import { deleteAutomation } from './delete-automation.ts'
import { prepareSteps } from './prepare-steps.ts'
import { written } from './written.ts'
import {
  deleted,
  deleteResultResponse,
  etagOf,
  pageResponse,
  listOf,
  missingScope,
  nothingToUpdate,
  operation,
  pageQuery,
  rangeOf,
  single,
  warn,
  writeOnlyNote,
} from '../http/index.ts'
import {
  automationResponse,
  automationSummaryResponse,
  presentAutomation,
  presentAutomationSummary,
  writtenAutomationResponse,
} from './responses.ts'
import {
  createAutomationSchema,
  STEPS_LIMIT,
  stepsSchema,
  updateAutomationSchema,
  normalizeTrigger,
} from './schemas.ts'

const NOTHING_TO_UPDATE = nothingToUpdate(
  Object.keys(updateAutomationSchema.fields),
  '. Steps are replaced by PUT /automations/{id}/steps',
)

const WITHOUT_READING = writeOnlyNote('automations:read')

const automationLinks = (id: string) => ({
  getAutomation: { id },
  updateAutomation: { id },
  replaceSteps: { id },
  enrollContact: { id },
  deleteAutomation: { id },
})

export const automationOperations = [
  ...draftOperations,
  operation({
    id: 'listAutomations',
    method: 'GET',
    path: '/automations',
    tag: 'Automations',
    summary: 'List automations',
    description: 'All automations of the workspace, newest first, as summaries.',
    scope: 'automations:read',
    query: pageQuery(),
    responses: {
      200: { description: 'A page of automations.', schema: listOf(array().of(automationSummaryResponse).required()) },
    },
    async handle({ caller, query }, { em }) {
      const workspaceId = caller.workspace.id
      const [summaries, total] = await Promise.all([
        automationPage(em.fork(), workspaceId, rangeOf(query)),
        em.fork().count(Automation, { workspaceId }),
      ])
      return pageResponse(summaries.map(presentAutomationSummary), query, total)
    },
  }),

  operation({
    id: 'createAutomation',
    method: 'POST',
    path: '/automations',
    tag: 'Automations',
    summary: 'Create an automation',
    description:
      'The default status is DRAFT. A DRAFT may be incomplete. An automation that could never send an email cannot be ACTIVE. ' +
      'With the scope `drafts:write`, only a DRAFT can be created.',
    scope: 'automations:write',
    orScope: 'drafts:write',
    body: createAutomationSchema,
    bodyLimit: STEPS_LIMIT,
    etag: true,
    responses: {
      201: {
        description: 'The automation.',
        schema: single(automationResponse),
        links: automationLinks('$response.body#/data/id'),
      },
    },
    errors: {
      400: ['name is required', 'trigger is required', AUTOMATION_NEVER_ACTS, INVALID_TEMPLATE, VARIABLE_MISSING],
      404: [TEMPLATE_NOT_FOUND],
    },
    prepare({ caller, body }, dependencies) {
      const { status = 'DRAFT' } = body
      if (status !== 'DRAFT' && !caller.scopes.includes('automations:write'))
        throw new ApiError(missingScope('automations:write'))
      return prepareSteps(dependencies, caller, normalizeTrigger(body))
    },
    async handle({ caller, body, call, prepared }, { em }) {
      const input = normalizeTrigger({ ...body, steps: prepared.steps })
      const automation = await createAutomation(em, caller.workspace.id, input, call.id)
      return {
        status: 201,
        headers: { ...warn(prepared.warnings), ...etagOf(automation.automation.revision) },
        body: { data: presentAutomation(automation) },
      }
    },
  }),

  operation({
    id: 'getAutomation',
    method: 'GET',
    path: '/automations/{id}',
    tag: 'Automations',
    summary: 'Get an automation',
    description: 'Returns the automation with its steps.',
    scope: 'automations:read',
    // The response can be several megabytes.
    etag: true,
    responses: {
      200: {
        description: 'The automation.',
        schema: single(automationResponse),
        links: automationLinks('$response.body#/data/id'),
      },
    },
    errors: { 404: [AUTOMATION_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const automation = await getAutomation(em, caller.workspace.id, params.id)
      return {
        status: 200,
        headers: etagOf(automation.automation.revision),
        body: { data: presentAutomation(automation) },
      }
    },
  }),

  operation({
    id: 'updateAutomation',
    method: 'PATCH',
    path: '/automations/{id}',
    tag: 'Automations',
    summary: 'Update an automation',
    description:
      'Changes the given fields. Paused enrollments continue when it is ACTIVE again. The response to a pause waits until none of its emails ' +
      'is in flight, or for several seconds. No email starts after it. ' +
      WITHOUT_READING,
    scope: 'automations:write',
    body: updateAutomationSchema,
    etag: true,
    ifMatch: true,
    responses: { 200: { description: 'The automation.', schema: single(writtenAutomationResponse) } },
    errors: {
      400: [NOTHING_TO_UPDATE, 'name must not be empty', AUTOMATION_NEVER_ACTS, VARIABLE_MISSING],
      404: [AUTOMATION_NOT_FOUND],
      409: [AUTOMATION_CONFIRMS_LIST],
    },
    async prepare({ caller, params, body }, dependencies) {
      await prepareSteps(dependencies, caller, normalizeTrigger(body), params.id)
    },
    async handle({ caller, params, body, call, ifMatch }, dependencies) {
      if (Object.keys(body).length === 0) throw new ApiError(NOTHING_TO_UPDATE)
      const { em } = dependencies
      const automation = await updateAutomation(em, caller.workspace.id, params.id, normalizeTrigger(body), ifMatch)
      await whenDurable(dependencies, call, () => waitForSendingMessages(em, automation.automation))
      return written(caller, automation, body)
    },
  }),

  operation({
    id: 'replaceSteps',
    method: 'PUT',
    path: '/automations/{id}/steps',
    tag: 'Automations',
    summary: 'Replace the steps',
    description: `Replaces all steps. Running enrollments keep the steps they entered with. ${WITHOUT_READING}`,
    scope: 'automations:write',
    body: stepsSchema,
    bodyLimit: STEPS_LIMIT,
    etag: true,
    ifMatch: true,
    responses: { 200: { description: 'The automation.', schema: single(writtenAutomationResponse) } },
    errors: {
      400: ['steps is required', AUTOMATION_NEVER_ACTS, INVALID_TEMPLATE, VARIABLE_MISSING],
      404: [AUTOMATION_NOT_FOUND, TEMPLATE_NOT_FOUND],
    },
    prepare: ({ caller, params, body }, dependencies) => prepareSteps(dependencies, caller, body, params.id),
    async handle({ caller, params, body, prepared, ifMatch }, { em }) {
      const automation = await replaceSteps(em, caller.workspace.id, params.id, prepared.steps ?? [], ifMatch)
      return written(caller, automation, body, prepared.warnings)
    },
  }),

  operation({
    id: 'deleteAutomation',
    method: 'DELETE',
    path: '/automations/{id}',
    tag: 'Automations',
    summary: 'Delete an automation',
    description:
      'Deletes the automation permanently, with its steps and all enrollments. After the response, enrolled contacts receive ' +
      'no further email from it.',
    scope: 'automations:write',
    transactional: false,
    audit: 'by-handler',
    ifMatch: true,
    responses: {
      200: {
        description: 'The automation was deleted.',
        schema: single(deleteResultResponse),
        links: { getAutomation: { id: '$response.body#/data/id' } },
      },
    },
    errors: { 404: [AUTOMATION_NOT_FOUND], 409: [AUTOMATION_CONFIRMS_LIST] },
    async handle({ caller, params, call, ifMatch }, { em }) {
      await deleteAutomation(em, caller.workspace.id, params.id, call, ifMatch)
      return deleted(params.id)
    },
  }),
]
