import { defineCommand, parseObject, UsageError } from '../command.ts'

export const automationCommands = [
  defineCommand({
    call: 'automations list',
    what: 'Lists automations.',
    async run({ output, connect }) {
      await output.list(connect().automations.list(), {
        headings: ['ID', 'NAME', 'STATUS', 'TRIGGER', 'STEPS', 'ENROLLED', 'COMPLETED'],
        cells: (one) => [
          one.id,
          one.name,
          one.status,
          one.triggerType,
          one.stepCount,
          one.enrolledCount,
          one.completedCount,
        ],
        none: 'The workspace has no automations.',
      })
    },
  }),
  defineCommand({
    call: 'automations get',
    args: ['ID'],
    what: 'Shows an automation with its steps.',
    async run({ args: [id = ''], output, connect }) {
      output.resource(await connect().automations.get(id))
    },
  }),
  defineCommand({
    call: 'automations enroll',
    args: ['ID'],
    what: 'Enrolls a contact in an automation.',
    options: {
      contact: { takes: 'ID', what: 'required: the ID of the contact, email:ADDRESS or external:ID' },
      merge: { takes: 'JSON', what: 'an object to merge into the metadata of the contact first' },
      key: { takes: 'KEY', what: 'the value of entry.concurrency.key, if the automation has one' },
    },
    async run({ args: [id = ''], options: { contact, merge, key }, output, connect }) {
      if (contact === undefined) throw new UsageError('--contact is missing.')
      const merged = parseObject(merge, 'merge')
      const enrollment = await connect().automations.enroll(id, {
        contactId: contact,
        ...(merged && { merge: merged }),
        ...(key !== undefined && { key }),
      })
      output.result(enrollment, ({ enrolled, refusedBy }) =>
        enrolled
          ? 'Enrolled.'
          : refusedBy === undefined
            ? 'The contact is already in the automation. Nothing was done.'
            : `The automation excludes the contact (${refusedBy}). Nothing was done.`,
      )
    },
  }),
]
