import { assertAutomation, AUTOMATION_NOT_ACTIVE, AUTOMATION_NOT_FOUND } from '../automations/index.ts'
import { CONTACT_PARAM, CONTACT_NOT_FOUND, CONTACT_LIMITS, getContact, resolveContactId } from '../contacts/index.ts'
import {
  cursorPage,
  cursorListOf,
  deleted,
  deleteResultResponse,
  operation,
  readCursor,
  single,
} from '../http/index.ts'
import { readId } from '../platform/ids.ts'
import { ENROLLMENT_STATUSES, type EnrollmentStatus } from '../automation-engine/index.ts'
import { endEnrollment } from './end-enrollment.ts'
import { enrollContact } from './enroll-contact.ts'
import { enrollmentsOf, nextEnrollmentsOf } from './list-queries.ts'
import { NOT_ENROLLED } from './errors.ts'
import { contactEnrollmentsQuery, enrollmentsQuery, enrollSchema } from './schemas.ts'
import { enrollmentResultResponse, enrollmentResponse, presentEnrollment } from './responses.ts'

const asked = (status: EnrollmentStatus | undefined) => (status === undefined ? ENROLLMENT_STATUSES : [status])

export const enrollmentOperations = [
  operation({
    id: 'enrollContact',
    method: 'POST',
    path: '/automations/{id}/enroll',
    tag: 'Automations',
    summary: 'Enroll a contact',
    description:
      'The contact starts at the first step immediately, regardless of the trigger. A contact that is already in the automation ' +
      'is not enrolled again, and nothing is sent twice.',
    scope: 'automations:write',
    transactional: false,
    body: enrollSchema,
    responses: {
      202: {
        description: 'The contact is enrolled.',
        schema: single(enrollmentResultResponse),
        links: { listActivity: { id: '$response.body#/data/contactId' } },
      },
    },
    errors: {
      400: ['contactId is required', 'merge must be a JSON object', CONTACT_LIMITS.contacts_metadata_size],
      404: [AUTOMATION_NOT_ACTIVE, CONTACT_NOT_FOUND],
    },
    async handle({ caller, params, body, call }, dependencies) {
      const named = await resolveContactId(dependencies.em, caller, body.contactId)
      const result = await enrollContact(
        dependencies,
        caller.workspace.id,
        params.id,
        { ...body, contactId: named },
        call,
      )
      const { automationId, contactId, enrolled, refusedBy, enrolledAt } = result
      const matchingAutomations = enrolled ? 1 : 0
      const data = {
        ...{ automationId, contactId, enrolled, matchingAutomations, ...(refusedBy && { refusedBy }) },
        enrolledAt: enrolledAt.toISOString(),
      }
      return { status: 202, body: { data }, contactId }
    },
  }),

  operation({
    id: 'listEnrollments',
    method: 'GET',
    path: '/automations/{id}/enrollments',
    tag: 'Automations',
    summary: "List an automation's enrollments",
    description: 'Most recent first. Includes ended enrollments unless a status is given.',
    scope: 'automations:read',
    query: enrollmentsQuery,
    responses: { 200: { description: 'A page of enrollments.', schema: cursorListOf(enrollmentResponse) } },
    errors: {
      400: ['cursor must be the nextCursor of a page of this list'],
      404: [AUTOMATION_NOT_FOUND],
    },
    async handle({ caller, params, query }, { em }) {
      const unit = em.fork()
      const behind = readCursor(query.cursor)
      await assertAutomation(unit, caller.workspace.id, params.id)
      const limit = query.limit + 1
      const stepId = query.stepId === undefined ? undefined : readId(query.stepId)
      if (query.sort === 'next') {
        const isNone = (query.stepId !== undefined && stepId === undefined) || (query.status ?? 'ACTIVE') !== 'ACTIVE'
        const page = isNone ? [] : await nextEnrollmentsOf(unit, params.id, { stepId, behind, limit })
        return cursorPage(page, query.limit, presentEnrollment)
      }
      const page = await enrollmentsOf(
        unit,
        { automationId: params.id },
        { statuses: asked(query.status), behind, limit },
      )
      return cursorPage(page, query.limit, presentEnrollment)
    },
  }),

  operation({
    id: 'listEnrollmentsOfContact',
    method: 'GET',
    path: '/contacts/{id}/enrollments',
    params: { id: CONTACT_PARAM },
    tag: 'Contacts',
    summary: "List a contact's enrollments",
    description: 'In all automations, most recent first, each with its next step.',
    scope: 'automations:read',
    query: contactEnrollmentsQuery,
    responses: { 200: { description: 'A page of enrollments.', schema: cursorListOf(enrollmentResponse) } },
    errors: { 400: ['cursor must be the nextCursor of a page of this list'], 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const unit = em.fork()
      const behind = readCursor(query.cursor)
      const { id: contactId } = await getContact(unit, caller.workspace.id, params.id)
      const page = await enrollmentsOf(
        unit,
        { contactId },
        { statuses: asked(query.status), behind, limit: query.limit + 1 },
      )
      return cursorPage(page, query.limit, presentEnrollment)
    },
  }),

  operation({
    id: 'endEnrollment',
    method: 'DELETE',
    path: '/automations/{id}/enrollments/{contactId}',
    params: { contactId: CONTACT_PARAM },
    tag: 'Automations',
    summary: "End a contact's enrollment",
    description:
      'The contact gets no further email of this automation after the response. The enrollment ' +
      'stays listed as CANCELLED, and the contact may be enrolled again. In an automation with a concurrency key, ' +
      'this ends the enrollments with all keys.',
    scope: 'automations:write',
    transactional: false,
    audit: 'by-handler',
    responses: { 200: { description: "The contact's id.", schema: single(deleteResultResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND, NOT_ENROLLED] },
    async handle({ caller, params, call }, dependencies) {
      await endEnrollment(dependencies, caller.workspace.id, params.id, params.contactId, call)
      return deleted(params.contactId)
    },
  }),
]
