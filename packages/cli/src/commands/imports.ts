import type { Schemas } from '@dripline/client'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineCommand, UsageError } from '../command.ts'

type Mapping = Schemas['ImportMappingInput']
type Column = NonNullable<Mapping['columns']>[number]

/** Characters of a chunk. It has at most 1 MB, and a character up to three bytes. */
const CHUNK_CHARACTERS = 300_000
const POLL_MS = 500

export const importCommands = [
  defineCommand({
    call: 'import',
    args: ['FILE'],
    what: 'Imports a CSV file of contacts, and waits for the end.',
    options: {
      consent: { takes: 'CONSENT', what: 'SUBSCRIBED, COLUMNS, UNSUBSCRIBED or BOUNCED' },
      preset: { takes: 'NAME', what: 'the service that exported the file, such as mailchimp' },
      column: { takes: 'TITLE=FIELD', many: true, what: 'what a column means, such as "Plan=metadata.plan"' },
      list: { takes: 'ID', what: 'a list that contacts join unless they opted out' },
      tag: { takes: 'TAG', many: true, what: 'a tag for the contacts' },
      triggers: { what: 'start automations' },
      confirmed: { what: 'the contacts confirmed the list elsewhere' },
    },
    async run({ args: [path = ''], options, output, connect }) {
      const { consent, preset, column = [], list, tag, triggers, confirmed } = options
      const { imports } = connect()
      const text = decode(readFileSync(path))
      const { id } = await imports.create({ name: basename(path) })
      for (let at = 0, position = 0; ;) {
        const chunk = chunkAt(text, at)
        at += chunk.length
        const isLast = at >= text.length
        const uploaded = await imports.uploadChunk(id, { position, text: chunk, isLast })
        position = uploaded.position
        if (isLast) break
      }
      const mapping = await imports.setMapping(id, {
        columns: column.map(readColumn),
        ...(consent !== undefined && { consent: consent.toUpperCase() as NonNullable<Mapping['consent']> }),
        ...(preset !== undefined && { preset: preset as NonNullable<Mapping['preset']> }),
        ...(list !== undefined && { listId: list }),
        ...(tag && { tags: tag }),
        ...(triggers && { triggers: true }),
        ...(confirmed && { confirmed: true }),
      })
      for (const { column: title, decision, samples } of mapping.columns)
        if (decision === null) output.note(`Undecided: --column "${title}=…"   # ${samples.slice(0, 3).join(', ')}`)
      let found = await imports.start(id)
      while (found.status === 'RUNNING') {
        await delay(POLL_MS)
        found = await imports.get(id)
      }
      const { created, updated, suppressed, failed, status, problem } = found
      const errorsIn = failed > 0 ? `${path}.errors.json` : undefined
      if (errorsIn !== undefined) {
        const errors = []
        for await (const error of imports.errors(id)) errors.push(error)
        writeFileSync(errorsIn, `${JSON.stringify(errors, null, 2)}\n`)
      }
      output.result(found, () =>
        [
          `Contacts created: ${created}, updated: ${updated}. Suppressed addresses: ${suppressed}.`,
          ...(errorsIn === undefined ? [] : [`Failed rows: ${failed}; see ${errorsIn}`]),
          ...(status === 'DONE' ? [] : [`The import is ${status}: ${problem}`]),
        ].join('\n'),
      )
      // Lets a nightly script detect that contacts are missing.
      if (status !== 'DONE' || failed > 0) process.exitCode = 1
    },
  }),
]

/** Reads a file in UTF-8, or else in the encoding of Windows spreadsheets. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The next part of a text, which does not end within a character. */
function chunkAt(text: string, at: number): string {
  const chunk = text.slice(at, at + CHUNK_CHARACTERS)
  return /[\ud800-\udbff]$/.test(chunk) && at + chunk.length < text.length ? chunk.slice(0, -1) : chunk
}

/** Reads `Title=field`, with a type and a format of an attribute, or the values of consent that mean yes. @throws {UsageError} */
function readColumn(text: string): Column {
  const [, column, field = '', rest] = /^(.+)=((?:metadata\.)?[^:=]+)(?::(.*))?$/s.exec(text) ?? []
  if (column === undefined)
    throw new UsageError(
      '--column must be a title and a field, such as "Plan=metadata.plan" or "Newsletter=consent:yes".',
    )
  if (field === 'consent') {
    if (rest === undefined)
      throw new UsageError('--column with consent needs the values that mean yes, such as "Newsletter=consent:yes,ja".')
    return { column, field, yes: rest.split(',') }
  }
  if (rest === undefined) return { column, field }
  if (field === 'tags') return { column, field, format: rest } as Column
  const [type, ...format] = rest.split(':')
  const given = format.join(':')
  if (given === '') return { column, field, type } as Column
  return { column, field, type, ...(type === 'boolean' ? { yes: given.split(',') } : { format: given }) } as Column
}
