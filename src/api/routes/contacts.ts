import type Router from '@koa/router'
import { Refusal } from '../../domain/errors.ts'
import { listActivity, listContacts } from '../../services/contacts.ts'
import { fireEvent } from '../../services/fire-event.ts'
import { upsertContact, upsertManyContacts, type ContactInput } from '../../services/upsert-contacts.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { requireScope } from '../middleware/require-scope.ts'
import { listEnvelope, readPage } from '../pagination.ts'
import { presentContact } from '../presenters/contact.ts'
import { presentMessage } from '../presenters/message.ts'
import { bulkSchema, contactSchema, eventSchema, type ContactBody } from '../schemas/contacts.ts'
import { parse } from '../schemas/parse.ts'
import type { ApiState } from '../state.ts'

export function contactRoutes(router: Router<ApiState>, dependencies: ApiDependencies): void {
  const { em } = dependencies

  router.get('/contacts', requireScope('contacts:read'), async (ctx) => {
    const page = readPage(ctx.query)
    const [contacts, total] = await listContacts(em, ctx.state.workspace.id, page)
    ctx.body = listEnvelope(contacts.map(presentContact), page, total)
  })

  router.post('/contacts', requireScope('contacts:write'), async (ctx) => {
    const input = toInput(parse(contactSchema, ctx.request.body))
    const contact = await upsertContact(dependencies, ctx.state.workspace.id, input)
    ctx.status = contact.created ? 201 : 200
    ctx.body = { data: presentContact(contact) }
  })

  router.post('/contacts/bulk', requireScope('contacts:write'), async (ctx) => {
    const { contacts } = parse(bulkSchema, ctx.request.body)
    const inputs: ContactInput[] = []
    const errors: { index: number; error: string }[] = []
    contacts.forEach((item, index) => {
      try {
        inputs.push(toInput(parse(contactSchema, item)))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        errors.push({ index, error: error.message })
      }
    })
    const { created, updated } = await upsertManyContacts(dependencies, ctx.state.workspace.id, inputs)
    ctx.body = { data: { created, updated, failed: errors.length, errors } }
  })

  router.post('/contacts/:id/events', requireScope('contacts:write'), async (ctx) => {
    const { name, data } = parse(eventSchema, ctx.request.body)
    const fired = await fireEvent(dependencies, ctx.state.workspace.id, ctx.params['id'] ?? '', { name, data })
    ctx.status = 202
    ctx.body = { data: { ...fired, firedAt: fired.firedAt.toISOString() } }
  })

  router.get('/contacts/:id/activity', requireScope('contacts:read'), async (ctx) => {
    const page = readPage(ctx.query)
    const [messages, total] = await listActivity(em, ctx.state.workspace.id, ctx.params['id'] ?? '', page)
    ctx.body = listEnvelope(messages.map(presentMessage), page, total)
  })
}

const toInput = ({ email, firstName, metadata }: ContactBody): ContactInput => ({
  email: email.trim(),
  firstName,
  metadata,
})
