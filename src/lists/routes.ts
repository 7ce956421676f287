import { TOO_MANY_STARTS } from '../triggers/index.ts'
import { Refusal } from '../platform/refusal.ts'
import { ASKED_OFTEN, HAS_LEFT_LIST, LIST_IN_USE, NOBODY_ASKS, NOT_IN_LIST, TAG_NOT_FOUND } from './refusals.ts'
import { array } from 'yup'
import { addToList, createList, deleteList, getList, listLists, removeFromList, updateList } from './lists.ts'
import { listTags, tagContact, untagContact } from './tags.ts'
import {
  deleted,
  deleteResultShape,
  listAnswer,
  listOf,
  nothingToUpdate,
  operation,
  pageQuery,
  presentWrittenTo,
  rangeOf,
  single,
  withoutReading,
} from '../http/index.ts'
import { joinResultShape, listShape, presentList, tagShape, writtenListShape } from './shapes.ts'
import {
  answerContacts,
  CONTACT,
  CONTACT_LIMITS,
  CONTACT_NOT_FOUND,
  contactPage,
  LIST_NOT_FOUND,
  WITHOUT_READING,
  joinSchema,
  namedContact,
  listSchema,
  presentWritten,
  tagsSchema,
  updateListSchema,
  membersQuery,
  writtenContactShape,
} from '../contacts/index.ts'

const NOTHING_TO_UPDATE = nothingToUpdate(Object.keys(updateListSchema.fields))

const listLinks = (id: string) => ({
  getList: { id },
  updateList: { id },
  addToList: { id },
  listMembers: { id },
})

export const listOperations = [
  operation({
    id: 'listLists',
    method: 'GET',
    path: '/lists',
    tag: 'Lists',
    summary: 'List the lists',
    description: 'Newest first, with the number of contacts in each.',
    scope: 'lists:read',
    query: pageQuery(),
    answers: { 200: { description: 'A page of lists.', schema: listOf(array().of(listShape).required()) } },
    async handle({ caller, query }, { em }) {
      const [lists, total] = await listLists(em, caller.workspace.id, rangeOf(query))
      return listAnswer(lists.map(presentList), query, total)
    },
  }),

  operation({
    id: 'createList',
    method: 'POST',
    path: '/lists',
    tag: 'Lists',
    summary: 'Create a list',
    description: 'Empty, for contacts to be put into.',
    scope: 'lists:write',
    body: listSchema,
    answers: {
      201: { description: 'The list.', schema: single(listShape), links: listLinks('$response.body#/data/id') },
    },
    refusals: { 400: ['name is required'], 409: [NOBODY_ASKS] },
    async handle({ caller, body, call }, { em }) {
      const list = await createList(em, caller.workspace.id, body, call.id)
      return { status: 201, body: { data: presentList(list) } }
    },
  }),

  operation({
    id: 'getList',
    method: 'GET',
    path: '/lists/{id}',
    tag: 'Lists',
    summary: 'Get a list',
    description: 'With the number of contacts in it.',
    scope: 'lists:read',
    answers: {
      200: { description: 'The list.', schema: single(listShape), links: listLinks('$response.body#/data/id') },
    },
    refusals: { 404: [LIST_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      return { status: 200, body: { data: presentList(await getList(em, caller.workspace.id, params.id)) } }
    },
  }),

  operation({
    id: 'updateList',
    method: 'PATCH',
    path: '/lists/{id}',
    tag: 'Lists',
    summary: 'Update a list',
    description: `Only the fields to change are sent. ${withoutReading('lists:read')}`,
    scope: 'lists:write',
    body: updateListSchema,
    answers: {
      200: { description: 'The list.', schema: single(writtenListShape), links: listLinks('$response.body#/data/id') },
    },
    refusals: { 400: [NOTHING_TO_UPDATE, 'name must not be empty'], 404: [LIST_NOT_FOUND], 409: [NOBODY_ASKS] },
    async handle({ caller, params, body }, { em }) {
      if (Object.keys(body).length === 0) throw new Refusal(NOTHING_TO_UPDATE)
      const list = presentList(await updateList(em, caller.workspace.id, params.id, body))
      return { status: 200, body: { data: presentWrittenTo(caller, 'lists:read', list, body) } }
    },
  }),

  operation({
    id: 'deleteList',
    method: 'DELETE',
    path: '/lists/{id}',
    tag: 'Lists',
    summary: 'Delete a list',
    description:
      'For good. The contacts that were in it stay, and enrollments that their joining started go on. A list that an ACTIVE ' +
      'automation listens for is not deleted.',
    scope: 'lists:write',
    transactional: false,
    audit: 'by-handler',
    // All who are in it leave it.
    answers: { 200: { description: 'The list is deleted.', schema: single(deleteResultShape) } },
    refusals: { 404: [LIST_NOT_FOUND], 409: [LIST_IN_USE] },
    async handle({ caller, params, call }, { em }) {
      await deleteList(em, caller.workspace.id, params.id, call)
      return deleted(params.id)
    },
  }),

  operation({
    id: 'listMembers',
    method: 'GET',
    path: '/lists/{id}/contacts',
    tag: 'Lists',
    summary: 'List the contacts in a list',
    description:
      'Newest contact first: the same as GET /contacts with listId. With status=pending, those who have been asked whether they want to ' +
      'be in it, and have not confirmed.',
    scope: 'contacts:read',
    query: membersQuery,
    // It can be megabytes.
    answers: { 200: contactPage },
    refusals: { 404: [LIST_NOT_FOUND] },
    handle: ({ caller, params, query }, { em }) =>
      answerContacts(em, caller.workspace.id, { listId: params.id, isPending: query.status === 'pending' }, query),
  }),

  operation({
    id: 'addToList',
    method: 'POST',
    path: '/lists/{id}/contacts',
    tag: 'Lists',
    summary: 'Put contacts into a list',
    description:
      'One contact, or up to 1,000. Whoever was not in the list before starts the automations that listen for it. ' +
      'Of a list with doubleOptIn, she is asked first, and is in it when she has confirmed. ' +
      'A contact that does not exist is a 404 when it is the only one, and else fails alone.',
    scope: 'lists:write',
    body: joinSchema,
    answers: {
      200: {
        description: 'What was done.',
        schema: single(joinResultShape),
        links: { listMembers: { id: '$response.body#/data/listId' } },
      },
    },
    refusals: {
      400: [
        'Send either contactId or contactIds',
        'contactIds array must not exceed 1000 items',
        CONTACT_LIMITS.list_members_most,
        TOO_MANY_STARTS,
      ],
      404: [LIST_NOT_FOUND, CONTACT_NOT_FOUND],
      409: [HAS_LEFT_LIST],
    },
    async handle({ caller, params, body, call }, dependencies) {
      const contactIds = body.contactIds ?? [await namedContact(dependencies.em, caller, body.contactId!)]
      const joined = await addToList(dependencies, caller.workspace.id, params.id, contactIds, call, {
        resubscribe: body.resubscribe ?? false,
        confirmed: body.confirmed ?? false,
      })
      const { added, alreadyIn, pending, errors } = joined
      // Who is left alone today is told of in the answer, and is no mistake of the call's.
      if (body.contactId !== undefined && errors[0] && errors[0].error !== ASKED_OFTEN) {
        const hasLeft = errors[0].error === HAS_LEFT_LIST.message
        throw new Refusal(hasLeft ? HAS_LEFT_LIST : CONTACT_NOT_FOUND, { param: '/contactId' })
      }
      const data = { listId: params.id, added, alreadyIn, pending, failed: errors.length, errors }
      return { status: 200, body: { data } }
    },
  }),

  operation({
    id: 'removeFromList',
    method: 'DELETE',
    path: '/lists/{id}/contacts/{contactId}',
    params: { contactId: CONTACT },
    tag: 'Lists',
    summary: 'Take a contact out of a list',
    description: 'Or of those who are asked whether they want to be in it. Enrollments that its joining started go on.',
    scope: 'lists:write',
    answers: { 200: { description: "The contact's id.", schema: single(deleteResultShape) } },
    refusals: { 404: [LIST_NOT_FOUND, NOT_IN_LIST] },
    async handle({ caller, params }, { em }) {
      await removeFromList(em, caller.workspace.id, params.id, params.contactId)
      return deleted(params.contactId)
    },
  }),

  operation({
    id: 'listTags',
    method: 'GET',
    path: '/tags',
    tag: 'Tags',
    summary: 'List the tags',
    description: 'In the order of the alphabet, with the number of contacts that have each.',
    scope: 'contacts:read',
    query: pageQuery(),
    // All tags of all contacts are gone through.
    answers: { 200: { description: 'A page of tags.', schema: listOf(array().of(tagShape).required()) } },
    async handle({ caller, query }, { em }) {
      const { tags, total } = await listTags(em, caller.workspace.id, rangeOf(query))
      return listAnswer(tags, query, total)
    },
  }),

  operation({
    id: 'tagContact',
    method: 'POST',
    path: '/contacts/{id}/tags',
    params: { id: CONTACT },
    tag: 'Tags',
    summary: 'Give a contact tags',
    description:
      'Tags are compared without case. A tag that the contact did not have starts what listens for it. ' +
      WITHOUT_READING,
    scope: 'contacts:write',
    body: tagsSchema,
    answers: {
      200: {
        description: 'The contact, with its tags.',
        schema: single(writtenContactShape),
        links: { untagContact: { id: '$response.body#/data/id', tag: '$response.body#/data/tags/0' } },
      },
    },
    refusals: { 400: [CONTACT_LIMITS.contact_tags_most], 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params, body, call }, dependencies) {
      const contact = await tagContact(dependencies, caller.workspace.id, params.id, body.tags, call)
      return { status: 200, body: { data: presentWritten(caller, contact, body) }, contactId: contact.id }
    },
  }),

  operation({
    id: 'untagContact',
    method: 'DELETE',
    path: '/contacts/{id}/tags/{tag}',
    tag: 'Tags',
    summary: 'Take a tag from a contact',
    description: 'Enrollments that the tag started go on.',
    scope: 'contacts:write',
    params: { id: CONTACT, tag: { description: "The tag's name, compared without case.", example: 'vip' } },
    answers: { 200: { description: "The contact's id.", schema: single(deleteResultShape) } },
    refusals: { 404: [CONTACT_NOT_FOUND, TAG_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      await untagContact(em, caller.workspace.id, params.id, params.tag)
      return deleted(params.id)
    },
  }),
]
