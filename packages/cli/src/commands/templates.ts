import { defineCommand } from '../command.ts'

export const templateCommands = [
  defineCommand({
    call: 'templates list',
    what: 'Lists templates.',
    async run({ output, connect }) {
      await output.list(connect().templates.list(), {
        headings: ['ID', 'NAME', 'KIND', 'VERSION', 'SUBJECT'],
        cells: ({ id, name, kind, version, subject }) => [id, name, kind, version, subject],
        none: 'The workspace has no templates.',
      })
    },
  }),
]
