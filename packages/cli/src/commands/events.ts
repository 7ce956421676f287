import { defineCommand, parseObject, UsageError } from '../command.ts'

export const eventCommands = [
  defineCommand({
    call: 'events send',
    args: ['NAME'],
    what: 'Records an event of a contact. With --email, creates the contact if needed.',
    options: {
      contact: { takes: 'ID', what: 'the ID of the contact, or external:ID' },
      email: { takes: 'EMAIL', what: 'the email of the contact' },
      data: { takes: 'JSON', what: 'the data of the event, an object' },
      key: { takes: 'KEY', what: 'an idempotency key: the event is recorded once for it within 24 hours' },
    },
    async run({ args: [name = ''], options: { contact, email, data, key }, output, connect }) {
      const dripline = connect()
      const given = parseObject(data, 'data')
      const event = { name, ...(given && { data: given }) }
      const options = key === undefined ? {} : { idempotencyKey: key }
      if ((contact === undefined) === (email === undefined)) throw new UsageError('Pass either --contact or --email.')
      const recorded =
        email === undefined
          ? await dripline.events.fire(contact!, event, options)
          : await dripline.events.send({ ...event, email }, options)
      output.result(
        recorded,
        ({ matchingAutomations }) =>
          `Recorded. ${matchingAutomations} matching ${matchingAutomations === 1 ? 'automation' : 'automations'}.`,
      )
    },
  }),
]
