import { defineCommand, parseCount, parseObject, UsageError } from '../command.ts'
import { take } from '../output.ts'
import { confirm } from '../prompt.ts'

const DEFAULT_LIMIT = 50
const ID = 'ID is the ID of the contact, email:ADDRESS or external:ID.'

export const contactCommands = [
  defineCommand({
    call: 'contacts list',
    what: 'Lists contacts.',
    options: {
      search: { takes: 'TEXT', what: 'the beginning of the email or first name, or the whole external ID' },
      email: { takes: 'EMAIL', what: 'only the contact with this email' },
      tag: { takes: 'TAG', what: 'only contacts with this tag' },
      list: { takes: 'ID', what: 'only contacts of this list' },
      segment: { takes: 'ID', what: 'only contacts of this segment' },
      limit: { takes: 'N', what: `at most N contacts; default: ${DEFAULT_LIMIT}` },
      all: { what: 'all contacts' },
    },
    async run({ options: { search, email, tag, list, segment, limit, all }, output, connect }) {
      if (all && limit !== undefined) throw new UsageError('Pass --limit or --all, not both.')
      const max = all ? Infinity : (parseCount(limit, 'limit') ?? DEFAULT_LIMIT)
      const contacts = connect().contacts.list({
        limit: Math.min(max, 100),
        ...(search !== undefined && { q: search }),
        ...(email !== undefined && { email }),
        ...(tag !== undefined && { tag }),
        ...(list !== undefined && { listId: list }),
        ...(segment !== undefined && { segmentId: segment }),
      })
      await output.list(take(contacts, max), {
        headings: ['ID', 'EMAIL', 'FIRST NAME', 'TAGS', 'SUPPRESSED BY'],
        cells: ({ id, email, firstName, tags, suppressedBy }) => [id, email, firstName, tags.join(', '), suppressedBy],
        none: 'No contacts match.',
      })
    },
  }),
  defineCommand({
    call: 'contacts get',
    args: ['ID'],
    what: `Shows a contact. ${ID}`,
    async run({ args: [id = ''], output, connect }) {
      output.resource(await connect().contacts.get(id))
    },
  }),
  defineCommand({
    call: 'contacts upsert',
    what: 'Creates a contact, or updates the one with this external ID or email.',
    options: {
      email: { takes: 'EMAIL', what: 'required' },
      'external-id': { takes: 'ID', what: 'your own ID for the contact' },
      'first-name': { takes: 'NAME', what: 'the first name' },
      metadata: { takes: 'JSON', what: 'an object, merged key by key' },
      tag: { takes: 'TAG', many: true, what: 'a tag to add' },
      list: { takes: 'ID', what: 'a list to join' },
    },
    async run({ options, output, connect }) {
      const { email, tag, list } = options
      if (email === undefined) throw new UsageError('--email is missing.')
      const metadata = parseObject(options.metadata, 'metadata')
      const contact = await connect().contacts.upsert({
        email,
        ...(options['external-id'] !== undefined && { externalId: options['external-id'] }),
        ...(options['first-name'] !== undefined && { firstName: options['first-name'] }),
        ...(metadata && { metadata }),
        ...(tag && { tags: tag }),
        ...(list !== undefined && { listId: list }),
      })
      output.resource(contact)
    },
  }),
  defineCommand({
    call: 'contacts delete',
    args: ['ID'],
    what: `Erases a contact and their data. This cannot be undone. ${ID}`,
    options: { yes: { what: 'do not ask' } },
    async run({ args: [id = ''], options, output, connect }) {
      const dripline = connect()
      const contact = await dripline.contacts.get(id)
      const question = `${contact.email} and all data about them will be erased. This cannot be undone.`
      if (!(await confirm(question, options.yes)))
        return output.result({ deleted: false }, () => 'Nothing was deleted.')
      // The address may belong to another contact by now, so the ID is used.
      await dripline.contacts.delete(contact.id)
      output.result({ deleted: true, id: contact.id }, () => `Erased ${contact.email}.`)
    },
  }),
]
