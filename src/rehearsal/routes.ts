import { array } from 'yup'
import { AUTOMATION_NOT_FOUND, prepareSteps, STEPS_LIMIT, VERSION_NOT_FOUND } from '../automations/index.ts'
import { CONTACT_NOT_FOUND, resolveContactId } from '../contacts/index.ts'
import {
  assertScope,
  type ApiDependencies,
  listOf,
  ok,
  operation,
  pageResponse,
  rangeOf,
  single,
} from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { SEGMENT_NOT_FOUND } from '../segments/index.ts'
import { readWarmUp } from '../senders/index.ts'
import { INVALID_TEMPLATE, TEMPLATE_NOT_FOUND } from '../templates/index.ts'
import { nameOf } from '../workspaces/index.ts'
import type { Rehearsal } from './entities.ts'
import { REHEARSAL_NOT_FOUND, REHEARSAL_NOT_RUNNING, TOO_MANY_REHEARSALS } from './errors.ts'
import { planOf, readCompared } from './plan-request.ts'
import { cancelRehearsal, getRehearsal, rehearseForContact, startRehearsal } from './rehearsals.ts'
import { renderEmails } from './render-emails.ts'
import {
  contactRehearsalResponse,
  presentContactRehearsal,
  presentRehearsal,
  presentResult,
  rehearsalResponse,
  resultResponse,
} from './responses.ts'
import { rehearseSchema, resultsQuery } from './schemas.ts'
import { listResults } from './store-queries.ts'

const ALSO_CONTACTS = 'The scope `contacts:read` is needed too.'

const present = async (dependencies: ApiDependencies, rehearsal: Rehearsal) =>
  presentRehearsal(rehearsal, {
    warmUp: await readWarmUp(dependencies.em.fork(), rehearsal.workspaceId),
    sendRate: dependencies.sendRate,
  })

/** Operations that rehearse automations. */
export const rehearsalOperations = [
  operation({
    id: 'rehearseAutomation',
    audit: 'never',
    method: 'POST',
    path: '/automations/{id}/rehearse',
    tag: 'Automations',
    summary: 'Rehearse an automation',
    description:
      'Runs a version of the automation, or changes that are not published, on a virtual clock. Nothing is sent, no webhook is ' +
      'called and no contact is changed. For one contact, the response has what would happen, and nothing is stored. For a segment or ' +
      'all contacts, the response describes a rehearsal that runs in the background: read it with getRehearsal (GET /rehearsals/{id}). ' +
      `It is kept for 7 days. Tags and lists are those of now, also for a time in the past. ${ALSO_CONTACTS}`,
    scope: 'automations:read',
    body: rehearseSchema,
    bodyOptional: true,
    bodyLimit: STEPS_LIMIT,
    transactional: false,
    responses: {
      200: { description: 'What would happen to the contact.', schema: single(contactRehearsalResponse) },
      202: {
        description: 'The rehearsal for many contacts.',
        schema: single(rehearsalResponse),
        links: {
          getRehearsal: { id: '$response.body#/data/id' },
          listRehearsedContacts: { id: '$response.body#/data/id' },
          cancelRehearsal: { id: '$response.body#/data/id' },
        },
      },
    },
    errors: {
      400: ['steps must be an array', INVALID_TEMPLATE],
      404: [AUTOMATION_NOT_FOUND, VERSION_NOT_FOUND, CONTACT_NOT_FOUND, SEGMENT_NOT_FOUND, TEMPLATE_NOT_FOUND],
      409: [TOO_MANY_REHEARSALS],
    },
    prepare: ({ caller, params, body }, dependencies) =>
      prepareSteps(dependencies, caller, { steps: body.steps }, params.id),
    async handle({ caller, params, body, visitor, prepared, call }, dependencies) {
      assertScope(caller, 'contacts:read')
      const { em } = dependencies
      const workspaceId = caller.workspace.id
      const compared = await readCompared(dependencies, workspaceId, params.id, { ...body, steps: prepared.steps })
      const plan = await planOf(dependencies, workspaceId, compared, body)
      if (body.contactId === undefined) {
        const rehearsal = await startRehearsal(em, workspaceId, { id: call.id, plan, requestedBy: nameOf(caller) })
        return { status: 202, body: { data: await present(dependencies, rehearsal) } }
      }
      const contactId = await resolveContactId(em.fork(), caller, body.contactId)
      const found = await rehearseForContact(em.fork(), workspaceId, contactId, plan)
      if (!found) throw new ApiError(CONTACT_NOT_FOUND)
      const of = { contactId, emails: found.course.emails }
      const rendered = await renderEmails(dependencies, { caller, visitor }, of, compared.rehearsed)
      return { ...ok(presentContactRehearsal(plan, contactId, found, rendered)), contactId }
    },
  }),

  operation({
    id: 'getRehearsal',
    method: 'GET',
    path: '/rehearsals/{id}',
    tag: 'Automations',
    summary: 'Get a rehearsal',
    description: `Returns what it has found so far. ${ALSO_CONTACTS}`,
    scope: 'automations:read',
    responses: { 200: { description: 'The rehearsal.', schema: single(rehearsalResponse) } },
    errors: { 404: [REHEARSAL_NOT_FOUND] },
    async handle({ caller, params }, dependencies) {
      assertScope(caller, 'contacts:read')
      const rehearsal = await getRehearsal(dependencies.em.fork(), caller.workspace.id, params.id)
      return ok(await present(dependencies, rehearsal))
    },
  }),

  operation({
    id: 'listRehearsedContacts',
    method: 'GET',
    path: '/rehearsals/{id}/contacts',
    tag: 'Automations',
    summary: 'List the contacts of a rehearsal',
    description: `With what would happen to each. ${ALSO_CONTACTS}`,
    scope: 'automations:read',
    query: resultsQuery,
    responses: {
      200: { description: 'A page of contacts.', schema: listOf(array().of(resultResponse).required()) },
    },
    errors: { 404: [REHEARSAL_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      assertScope(caller, 'contacts:read')
      const { id } = await getRehearsal(em.fork(), caller.workspace.id, params.id)
      const [results, total] = await listResults(em.fork(), id, query, rangeOf(query))
      return pageResponse(results.map(presentResult), query, total)
    },
  }),

  operation({
    id: 'cancelRehearsal',
    audit: 'never',
    method: 'POST',
    path: '/rehearsals/{id}/cancel',
    tag: 'Automations',
    summary: 'Cancel a rehearsal',
    description: `Ends it early. What it has found so far stays. ${ALSO_CONTACTS}`,
    scope: 'automations:read',
    responses: { 200: { description: 'The rehearsal.', schema: single(rehearsalResponse) } },
    errors: { 404: [REHEARSAL_NOT_FOUND], 409: [REHEARSAL_NOT_RUNNING] },
    async handle({ caller, params }, dependencies) {
      assertScope(caller, 'contacts:read')
      const rehearsal = await cancelRehearsal(dependencies.em, caller.workspace.id, params.id)
      return ok(await present(dependencies, rehearsal))
    },
  }),
]
