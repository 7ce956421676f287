import { array } from 'yup'
import { Automation } from '../../db/entities/automation.ts'
import { automationPage } from '../../db/queries/automations.ts'
import { invalid } from '../../domain/errors.ts'
import {
  createAutomation,
  getAutomation,
  letHandOversEnd,
  replaceSteps,
  updateAutomation,
} from '../../services/automations.ts'
import { whenDurable } from '../../services/call.ts'
import { deleteAutomation } from '../../services/delete-automation.ts'
import { enrollContact } from '../../services/enroll-contact.ts'
import { checkTemplates } from '../check-templates.ts'
import { operation } from '../operation.ts'
import {
  automationShape,
  automationSummaryShape,
  enrollmentResultShape,
  presentAutomation,
  presentAutomationSummary,
  presentWrittenAutomation,
  writtenAutomationShape,
} from '../presenters/automation.ts'
import { deleted, deleteResultShape } from '../presenters/common.ts'
import {
  createAutomationSchema,
  enrollSchema,
  stepsSchema,
  updateAutomationSchema,
  withOneSpelling,
} from '../schemas/automations.ts'
import { idParam, listAnswer, listOf, pageQuery, rangeOf, single } from '../schemas/fields.ts'

const params = { id: idParam('automation') }
const NOT_FOUND = ['Automation not found']
const NOTHING_TO_UPDATE =
  `No updatable fields provided: give at least one of ${Object.keys(updateAutomationSchema.fields).join(', ')}. ` +
  'Steps are replaced by PUT /automations/{id}/steps'
const NEVER_ACTS =
  'An ACTIVE automation must be able to act, and this one never would: with the trigger EVENT it starts nobody without ' +
  'triggerConfig.eventName: give it the name of the event. Or leave it a DRAFT.'
const NO_TEMPLATE = 'steps[0].html is no valid template: tag "if" not closed, line:1, col:1'

const WITHOUT_READING =
  'To a key without the scope automations:read the answer tells the id, and of the other fields only what this call gave.'

/** Five hundred steps, some of them long. */
const STEPS_LIMIT = { bytes: 4 * 1024 * 1024, values: 40_000 }

const automationLinks = (id: string) => ({
  getAutomation: { id },
  updateAutomation: { id },
  replaceSteps: { id },
  enrollContact: { id },
  deleteAutomation: { id },
})

export const automationOperations = [
  operation({
    id: 'listAutomations',
    method: 'GET',
    path: '/automations',
    tag: 'Automations',
    summary: 'List automations',
    description: 'All automations of the workspace, newest first, in their summary shape.',
    scope: 'automations:read',
    query: pageQuery(),
    answers: {
      200: { description: 'A page of automations.', schema: listOf(array().of(automationSummaryShape).required()) },
    },
    async handle({ caller, query }, { em }) {
      const workspaceId = caller.workspace.id
      const [summaries, total] = await Promise.all([
        automationPage(em.fork(), workspaceId, rangeOf(query)),
        em.fork().count(Automation, { workspaceId }),
      ])
      return listAnswer(summaries.map(presentAutomationSummary), query, total)
    },
  }),

  operation({
    id: 'createAutomation',
    method: 'POST',
    path: '/automations',
    tag: 'Automations',
    summary: 'Create an automation',
    description:
      'A DRAFT, unless status says otherwise. A DRAFT may be incomplete; one that could never do anything is not made ACTIVE.',
    scope: 'automations:write',
    body: createAutomationSchema,
    bodyLimit: STEPS_LIMIT,
    answers: {
      201: {
        description: 'The automation.',
        schema: single(automationShape),
        links: automationLinks('$response.body#/data/id'),
      },
    },
    refusals: { 400: ['name is required', 'trigger is required', NEVER_ACTS, NO_TEMPLATE] },
    prepare: ({ caller, body }, { renderer }) => checkTemplates(renderer, body.steps ?? [], caller.workspace.id),
    async handle({ caller, body, call }, { em }) {
      const automation = await createAutomation(em, caller.workspace.id, withOneSpelling(body), call.id)
      return { status: 201, body: { data: presentAutomation(automation) } }
    },
  }),

  operation({
    id: 'getAutomation',
    method: 'GET',
    path: '/automations/{id}',
    tag: 'Automations',
    summary: 'Get an automation',
    description: 'With its steps.',
    scope: 'automations:read',
    params,
    answers: {
      200: {
        description: 'The automation.',
        schema: single(automationShape),
        links: automationLinks('$response.body#/data/id'),
      },
    },
    refusals: { 404: NOT_FOUND },
    async handle({ caller, params }, { em }) {
      const automation = await getAutomation(em, caller.workspace.id, params['id']!)
      return { status: 200, body: { data: presentAutomation(automation) } }
    },
  }),

  operation({
    id: 'updateAutomation',
    method: 'PATCH',
    path: '/automations/{id}',
    tag: 'Automations',
    summary: 'Update an automation',
    description:
      'Only the fields to change are sent. Contacts whom a pause held go on when it is ACTIVE again. A pause is answered ' +
      'when no email is being handed to the mail server any more, or after some seconds; none begins after the answer. ' +
      WITHOUT_READING,
    scope: 'automations:write',
    params,
    body: updateAutomationSchema,
    answers: { 200: { description: 'The automation.', schema: single(writtenAutomationShape) } },
    refusals: { 400: [NOTHING_TO_UPDATE, 'name must not be empty', NEVER_ACTS], 404: NOT_FOUND },
    async handle({ caller, params, body, call }, dependencies) {
      if (Object.keys(body).length === 0) throw invalid(NOTHING_TO_UPDATE)
      const { em } = dependencies
      const automation = await updateAutomation(em, caller.workspace.id, params['id']!, withOneSpelling(body))
      await whenDurable(dependencies, call, () => letHandOversEnd(em, automation.automation))
      return { status: 200, body: { data: presentWrittenAutomation(caller, automation, body) } }
    },
  }),

  operation({
    id: 'replaceSteps',
    method: 'PUT',
    path: '/automations/{id}/steps',
    tag: 'Automations',
    summary: 'Replace the steps',
    description: `All of them. Contacts in mid-sequence go on with the steps they entered with. ${WITHOUT_READING}`,
    scope: 'automations:write',
    params,
    body: stepsSchema,
    bodyLimit: STEPS_LIMIT,
    answers: { 200: { description: 'The automation.', schema: single(writtenAutomationShape) } },
    refusals: {
      400: ['steps is required', NO_TEMPLATE],
      404: NOT_FOUND,
    },
    prepare: ({ caller, body }, { renderer }) => checkTemplates(renderer, body.steps, caller.workspace.id),
    async handle({ caller, params, body }, { em }) {
      const automation = await replaceSteps(em, caller.workspace.id, params['id']!, body.steps)
      return { status: 200, body: { data: presentWrittenAutomation(caller, automation, body) } }
    },
  }),

  operation({
    id: 'deleteAutomation',
    method: 'DELETE',
    path: '/automations/{id}',
    tag: 'Automations',
    summary: 'Delete an automation',
    description:
      'For good, with its steps and all enrollments. Contacts in mid-sequence receive no further email from the moment ' +
      'of the answer on.',
    scope: 'automations:write',
    params,
    answers: {
      200: {
        description: 'The automation is deleted.',
        schema: single(deleteResultShape),
        links: { getAutomation: { id: '$response.body#/data/id' } },
      },
    },
    refusals: { 404: NOT_FOUND },
    async handle({ caller, params }, { em }) {
      await deleteAutomation(em, caller.workspace.id, params['id']!)
      return deleted(params['id']!)
    },
  }),

  operation({
    id: 'enrollContact',
    method: 'POST',
    path: '/automations/{id}/enroll',
    tag: 'Automations',
    summary: 'Enroll a contact',
    description:
      'The contact enters at the first step at once, whatever the trigger says. A contact who is in the automation ' +
      'already is not enrolled again, and nothing is sent twice.',
    scope: 'automations:write',
    transactional: false,
    params,
    body: enrollSchema,
    answers: {
      202: {
        description: 'The contact is enrolled, or was already.',
        schema: single(enrollmentResultShape),
        links: { listActivity: { id: '$response.body#/data/contactId' } },
      },
    },
    refusals: {
      400: ['contactId is required', 'merge must be a JSON object'],
      404: ['Automation not found or not active', 'Contact not found'],
    },
    async handle({ caller, params, body, call }, dependencies) {
      const result = await enrollContact(dependencies, caller.workspace.id, params['id']!, body, call)
      const { automationId, contactId, enrolled, enrolledAt } = result
      const matchingAutomations = enrolled ? 1 : 0
      const data = { automationId, contactId, enrolled, matchingAutomations, enrolledAt: enrolledAt.toISOString() }
      return { status: 202, body: { data }, contactId }
    },
  }),
]
