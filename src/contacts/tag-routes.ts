import { array } from 'yup'
import {
  deleted,
  deleteResultResponse,
  pageResponse,
  listOf,
  operation,
  pageQuery,
  rangeOf,
  single,
} from '../http/index.ts'
import { CONTACT_LIMITS } from './contact-limits.ts'
import { WRITE_ONLY_NOTE } from './contact-page.ts'
import { CONTACT_PARAM } from './contact-param.ts'
import { CONTACT_NOT_FOUND, TAG_NOT_FOUND } from './errors.ts'
import { tagsSchema } from './schemas.ts'
import { presentWritten, tagResponse, writtenContactResponse } from './responses.ts'
import { listTags, tagContact, untagContact } from './tags.ts'

export const tagOperations = [
  operation({
    id: 'listTags',
    method: 'GET',
    path: '/tags',
    tag: 'Tags',
    summary: 'List tags',
    description: 'In alphabetical order, with the number of contacts of each.',
    scope: 'contacts:read',
    query: pageQuery(),
    responses: { 200: { description: 'A page of tags.', schema: listOf(array().of(tagResponse).required()) } },
    async handle({ caller, query }, { em }) {
      const { tags, total } = await listTags(em, caller.workspace.id, rangeOf(query))
      return pageResponse(tags, query, total)
    },
  }),

  operation({
    id: 'tagContact',
    method: 'POST',
    path: '/contacts/{id}/tags',
    params: { id: CONTACT_PARAM },
    tag: 'Tags',
    summary: 'Add tags to a contact',
    description:
      'Tags are compared without case. A tag that is new to the contact starts the automations that it triggers. ' +
      WRITE_ONLY_NOTE,
    scope: 'contacts:write',
    body: tagsSchema,
    responses: {
      200: {
        description: 'The contact, with its tags.',
        schema: single(writtenContactResponse),
        links: { untagContact: { id: '$response.body#/data/id', tag: '$response.body#/data/tags/0' } },
      },
    },
    errors: { 400: [CONTACT_LIMITS.contact_tags_most], 404: [CONTACT_NOT_FOUND] },
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
    summary: 'Remove a tag from a contact',
    description: 'Enrollments that the tag started continue.',
    scope: 'contacts:write',
    params: { id: CONTACT_PARAM, tag: { description: "The tag's name, compared without case.", example: 'vip' } },
    responses: { 200: { description: "The contact's ID.", schema: single(deleteResultResponse) } },
    errors: { 404: [CONTACT_NOT_FOUND, TAG_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      await untagContact(em, caller.workspace.id, params.id, params.tag)
      return deleted(params.id)
    },
  }),
]
