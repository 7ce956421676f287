import { array, boolean, object, number, string, type InferType } from 'yup'
import { count, id, timestamp, nullableText } from '../http/index.ts'
import { IMPORT_STATUSES, type Import } from './entities.ts'
import type { ColumnDecision } from './decision.ts'
import type { ColumnSample } from './guess.ts'
import { consentOf, CONSENTS, mapColumns, missingIn, titlesOf } from './mapping.ts'
import { detectPreset, noteOf, PRESET_NAMES } from './presets.ts'
import type { RowError } from './queries.ts'
import { DATE_FORMATS, NUMBER_FORMATS, SEPARATORS, VALUE_TYPES } from './values.ts'

const preset = () =>
  string()
    .nullable()
    .oneOf([...PRESET_NAMES, null] as const)
    .defined()
const consent = () =>
  string()
    .nullable()
    .oneOf([...CONSENTS, null] as const)
    .defined()

export const importResponse = object({
  id: id('import'),
  name: string().required().meta({ example: 'customers.csv' }),
  status: string()
    .oneOf(IMPORT_STATUSES)
    .required()
    .meta({
      description:
        'UPLOADING: the file is not complete. DRAFT: the import can be started. RUNNING: rows are being imported. STOPPED: it can be ' +
        'started again. FAILED: the file is malformed from a certain line on. The rows before that line were imported.',
      example: 'RUNNING',
    }),
  preset: preset().meta({ example: null }),
  consent: consent().meta({ example: 'SUBSCRIBED' }),
  listId: string().nullable().defined().meta({ example: null }),
  tags: array()
    .of(string().required())
    .required()
    .meta({ example: ['imported'] }),
  triggers: boolean().required().meta({ example: false }),
  confirmed: boolean().required().meta({ example: false }),
  header: array()
    .of(string().required())
    .nullable()
    .defined()
    .meta({ description: 'The titles of the columns, after the upload.', example: ['email', 'first name'] }),
  position: count('Bytes of UTF-8 uploaded so far. The next chunk begins there.', 1_048_576),
  imported: count('Bytes of UTF-8 imported so far.', 524_288),
  size: number()
    .integer()
    .nullable()
    .defined()
    .meta({ description: 'Size of the whole file in bytes of UTF-8, if known.', example: null }),
  lines: count('Number of lines imported, with the header.', 20_000),
  created: count('Number of contacts created.', 19_000),
  updated: count('Number of existing contacts updated.', 998),
  suppressed: count('Number of addresses newly suppressed by this import.', 120),
  failed: count('Number of rows that could not be read or written. See the errors of the import.', 2),
  problem: nullableText('Why the import failed.'),
  createdAt: timestamp('When the import was created.'),
  finishedAt: timestamp('When the import ended.').nullable().defined(),
})
  .required()
  .meta({ component: 'Import', description: 'A file of contacts, and the progress of importing it.' })

export const presentImport = (found: Import): InferType<typeof importResponse> => ({
  id: found.id,
  name: found.name,
  status: found.status,
  preset: found.options.preset,
  consent: found.options.consent,
  listId: found.options.listId,
  tags: [...found.options.tags],
  triggers: found.options.triggers,
  confirmed: found.options.confirmed,
  header: found.header ? titlesOf(found.header) : null,
  position: found.uploaded,
  imported: found.position,
  size: found.size ?? null,
  lines: found.line,
  created: found.created,
  updated: found.updated,
  suppressed: found.suppressed,
  failed: found.failed,
  problem: found.problem ?? null,
  createdAt: found.createdAt.toISOString(),
  finishedAt: found.finishedAt?.toISOString() ?? null,
})

const texts = (example: string) => array().of(string().defined().meta({ example }))

const decision = (description: string) =>
  object({
    field: string().required().meta({ example: 'metadata.plan' }),
    type: string().oneOf(VALUE_TYPES).meta({ example: 'text' }),
    format: string()
      .oneOf([...DATE_FORMATS, ...NUMBER_FORMATS, ...SEPARATORS])
      .meta({ example: 'YYYY-MM-DD' }),
    yes: texts('yes'),
    bounced: texts('bounced'),
    blocked: texts('blocked'),
  })
    .nullable()
    .default(undefined)
    .defined()
    .meta({ description })

export const mappingResponse = object({
  preset: preset().meta({ example: null }),
  detectedPreset: preset().meta({ description: 'The service whose exports have these columns.', example: 'mailchimp' }),
  note: nullableText('Data that a file of this service lacks.'),
  consent: consent().meta({ description: 'The consent, as stated or by the columns.', example: 'COLUMNS' }),
  isComplete: boolean().required().meta({ description: 'Whether the import can be started.', example: false }),
  missing: array().of(string().required()).required().meta({ description: 'What has to be decided.', example: [] }),
  columns: array()
    .of(
      object({
        column: string().required().meta({ example: 'Plan' }),
        decision: decision('What the column means. Null as long as it is undecided.'),
        decidedBy: string()
          .nullable()
          .oneOf(['mapping', 'preset', 'title', null] as const)
          .defined()
          .meta({ example: 'mapping' }),
        guess: decision('A suggestion. Null if the column may hold consent.'),
        mayBeConsent: boolean()
          .required()
          .meta({ description: 'Whether its title or its values look like consent.', example: false }),
        samples: texts('pro').required(),
        filled: number().required().meta({ description: 'The share of rows in which it is filled.', example: 0.98 }),
        values: texts('pro')
          .nullable()
          .default(undefined)
          .defined()
          .meta({ description: 'All its values, if there are few.' }),
        dateFormats: array()
          .of(string().oneOf(DATE_FORMATS).required())
          .required()
          .meta({ description: 'The date formats that read all samples.', example: [] }),
      }).required(),
    )
    .required(),
})
  .required()
  .meta({ component: 'ImportMapping', description: 'The columns of an uploaded file, by its first rows.' })

export function presentMapping(found: Import, samples: readonly ColumnSample[]): InferType<typeof mappingResponse> {
  const titles = titlesOf(found.header!)
  const columns = mapColumns(titles, found.options)
  const missing = missingIn(titles, found.options)
  const { preset } = found.options
  const detected = detectPreset(titles)
  const shown = preset ?? detected
  return {
    preset,
    detectedPreset: detected,
    note: shown && noteOf(shown),
    consent: consentOf(columns, found.options),
    isComplete: missing.length === 0,
    missing,
    columns: columns.map(({ title, decision, decidedBy }, index) => {
      const { guess, ...sample } = samples[index]!
      return { column: title, decision: shape(decision), decidedBy, guess: shape(guess), ...sample }
    }),
  }
}

const shape = (decision: ColumnDecision | null) =>
  decision && {
    field: decision.field,
    type: decision.type,
    format: decision.format,
    yes: decision.yes && [...decision.yes],
    bounced: decision.bounced && [...decision.bounced],
    blocked: decision.blocked && [...decision.blocked],
  }

export const errorResponse = object({
  line: count('First line of the row in the file.', 17),
  problem: string().required().meta({ example: 'Invalid email address' }),
  cells: texts('ada')
    .nullable()
    .default(undefined)
    .defined()
    .meta({ description: 'The row. Null after some days, after an erasure, or if it cannot be stored.' }),
})
  .required()
  .meta({ component: 'ImportError', description: 'A row that could not be read or written.' })

export const presentError = ({ line, problem, cells }: RowError): InferType<typeof errorResponse> => ({
  line,
  problem,
  cells: cells && [...cells],
})
