import { array } from 'yup'
import { ApiError } from '../platform/api-error.ts'
import {
  pageResponse,
  listOf,
  nothingToUpdate,
  operation,
  pageQuery,
  presentForWriter,
  rangeOf,
  single,
  writeOnlyNote,
  ok,
  created,
} from '../http/index.ts'
import { createList, getList, listLists, updateList } from './lists.ts'
import { LIST_NOT_FOUND, CONFIRMATION_AUTOMATION_MISSING } from './errors.ts'
import { listSchema, updateListSchema } from './schemas.ts'
import { listResponse, presentList, writtenListResponse } from './responses.ts'

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
    summary: 'List lists',
    description: 'Newest first, with the number of contacts in each.',
    scope: 'lists:read',
    query: pageQuery(),
    responses: { 200: { description: 'A page of lists.', schema: listOf(array().of(listResponse).required()) } },
    async handle({ caller, query }, { em }) {
      const [lists, total] = await listLists(em, caller.workspace.id, rangeOf(query))
      return pageResponse(lists.map(presentList), query, total)
    },
  }),

  operation({
    id: 'createList',
    method: 'POST',
    path: '/lists',
    tag: 'Lists',
    summary: 'Create a list',
    description: 'Creates an empty list.',
    scope: 'lists:write',
    body: listSchema,
    responses: {
      201: { description: 'The list.', schema: single(listResponse), links: listLinks('$response.body#/data/id') },
    },
    errors: { 400: ['name is required'], 409: [CONFIRMATION_AUTOMATION_MISSING] },
    async handle({ caller, body, call }, { em }) {
      const list = await createList(em, caller.workspace.id, body, call.id)
      return created(presentList(list))
    },
  }),

  operation({
    id: 'getList',
    method: 'GET',
    path: '/lists/{id}',
    tag: 'Lists',
    summary: 'Get a list',
    description: 'Returns the list with its number of contacts.',
    scope: 'lists:read',
    responses: {
      200: { description: 'The list.', schema: single(listResponse), links: listLinks('$response.body#/data/id') },
    },
    errors: { 404: [LIST_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      return ok(presentList(await getList(em, caller.workspace.id, params.id)))
    },
  }),

  operation({
    id: 'updateList',
    method: 'PATCH',
    path: '/lists/{id}',
    tag: 'Lists',
    summary: 'Update a list',
    description: `Changes the given fields. ${writeOnlyNote('lists:read')}`,
    scope: 'lists:write',
    body: updateListSchema,
    responses: {
      200: {
        description: 'The list.',
        schema: single(writtenListResponse),
        links: listLinks('$response.body#/data/id'),
      },
    },
    errors: {
      400: [NOTHING_TO_UPDATE, 'name must not be empty'],
      404: [LIST_NOT_FOUND],
      409: [CONFIRMATION_AUTOMATION_MISSING],
    },
    async handle({ caller, params, body }, { em }) {
      if (Object.keys(body).length === 0) throw new ApiError(NOTHING_TO_UPDATE)
      const list = presentList(await updateList(em, caller.workspace.id, params.id, body))
      return ok(presentForWriter(caller, 'lists:read', list, body))
    },
  }),
]
