import { defineCommand } from '../command.ts'
import type { Output } from '../output.ts'
import { TemplateFolder } from '../templates/folder.ts'
import { type Outcome, pullTemplates } from '../templates/pull.ts'
import { pushTemplates } from '../templates/push.ts'

const DEFAULT_FOLDER = 'templates'

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
  defineCommand({
    call: 'templates pull',
    args: ['[FOLDER]'],
    what: `Writes the templates into a folder, one file for each. The default folder is "${DEFAULT_FOLDER}".`,
    options: { force: { what: 'overwrite changed files' } },
    async run({ args: [path = DEFAULT_FOLDER], options, output, connect }) {
      const dripline = connect()
      const folder = new TemplateFolder(path, (await dripline.workspace.whoami()).workspace.id)
      await printOutcomes(pullTemplates(dripline, folder, options.force === true), output)
    },
  }),
  defineCommand({
    call: 'templates push',
    args: ['[FOLDER]'],
    what: `Creates or updates the templates of the changed files in a folder. The default folder is "${DEFAULT_FOLDER}".`,
    options: {
      'dry-run': { what: 'show what would be done' },
      force: { what: 'overwrite templates that were changed in the workspace' },
    },
    async run({ args: [path = DEFAULT_FOLDER], options, output, connect }) {
      const dripline = connect()
      const folder = new TemplateFolder(path, (await dripline.workspace.whoami()).workspace.id)
      if (folder.files().length === 0)
        throw new Error(`The folder "${path}" has no templates. Run "dripline templates pull".`)
      const how = { isForced: options.force === true, isDryRun: options['dry-run'] === true }
      await printOutcomes(pushTemplates(dripline, folder, how), output)
    },
  }),
]

/** Prints what happened to each file. The command fails if a file was not pulled or pushed. */
async function printOutcomes(outcomes: AsyncIterable<Outcome>, output: Output): Promise<void> {
  const all: Outcome[] = []
  for await (const outcome of outcomes) all.push(outcome)
  const count = (status: Outcome['status']) => all.filter((one) => one.status === status).length
  output.result(all, () =>
    [
      ...all
        .filter(({ status }) => status !== 'unchanged')
        .map(
          ({ file, status, message }) => `${status.padEnd(9)}  ${file}${message === undefined ? '' : `\n  ${message}`}`,
        ),
      `${all.length} ${all.length === 1 ? 'template' : 'templates'}, ${count('unchanged')} unchanged.`,
    ].join('\n'),
  )
  if (count('conflict') + count('failed') > 0) process.exitCode = 1
}
