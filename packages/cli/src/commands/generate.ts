import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { defineCommand } from '../command.ts'
import { formatWorkspaceTypes, type TemplateVariables } from '../workspace-types.ts'
import { variablesIn } from '../variables.ts'

const DEFAULT_FILE = 'dripline-workspace.ts'

export const generateCommands = [
  defineCommand({
    call: 'generate',
    args: ['[FILE]'],
    what: `Writes TypeScript with the events and templates of the workspace. The default file is "${DEFAULT_FILE}".`,
    async run({ args: [file = DEFAULT_FILE], output, connect }) {
      const dripline = connect()
      const { workspace } = await dripline.workspace.whoami()
      const events = await dripline.events.names().toArray()
      const templates: TemplateVariables[] = []
      for await (const { id, name } of dripline.templates.list({ kind: 'EMAIL' })) {
        templates.push({ id, name, variables: variablesIn(await dripline.templates.get(id)) })
      }
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, formatWorkspaceTypes(workspace.name, events, templates))
      output.result(
        { file, events: events.length, templates: templates.length },
        () => `Wrote ${file}: ${events.length} events, ${templates.length} templates.`,
      )
    },
  }),
]
