import { type AnyObject, array, boolean, lazy, number, object, type ObjectSchema, type Schema, string } from 'yup'
import { atMost, text } from '../http/index.ts'
import { MAX_BODY_LENGTH } from '../rendering/index.ts'
import { ALIGNMENTS, type Block, type Design, PARAGRAPH_STYLES, type PlainBlock } from './design.ts'

/** The maximum number of blocks in an email, including columns, and of paragraphs in a block. */
const MAX_BLOCKS = 200
const MAX_PARAGRAPHS = 200
const MAX_RUNS = 500

/** The addresses that mail clients open: web pages, mailboxes, telephone numbers, or Liquid. */
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:|\{\{|\{%)/i
const address = (description: string) =>
  text()
    .test(atMost(2_000))
    .matches(ADDRESS, {
      message: ({ path }: { path: string }) => `${path} must start with https://, http://, mailto:, tel: or Liquid`,
      excludeEmptyString: true,
    })
    .meta({
      description,
      json: { pattern: '^((https?://|mailto:|tel:|\\{\\{|\\{%)[^\\u0000]*)?$' },
      example: 'https://example.com/start',
    })

const align = () => string().oneOf(ALIGNMENTS).meta({ example: 'CENTER' })

const run = object({
  text: text().defined().test(atMost(50_000)).meta({ example: 'Hello {{ contact.firstName }}' }),
  bold: boolean().meta({ example: true }),
  italic: boolean().meta({ example: false }),
  underline: boolean().meta({ example: false }),
  link: address('The target of the link.'),
}).meta({ component: 'Run', description: 'A part of a text with one style.' })

const paragraph = object({
  style: string().oneOf(PARAGRAPH_STYLES).required().meta({ example: 'PARAGRAPH' }),
  runs: array().of(run.required()).required().max(MAX_RUNS),
}).meta({ component: 'Paragraph', description: 'Consecutive list items form one list.' })

const type = <Type extends Block['type']>(name: Type) =>
  string()
    .oneOf([name] as const)
    .required()

const PLAIN = {
  TEXT: object({
    type: type('TEXT'),
    paragraphs: array().of(paragraph.required()).required().max(MAX_PARAGRAPHS),
    align: align(),
  }).meta({ component: 'TextBlock' }),
  BUTTON: object({
    type: type('BUTTON'),
    label: text().defined().test(atMost(500)).meta({ example: 'Begin' }),
    url: address('The target of the link.').defined(),
    align: align(),
  }).meta({ component: 'ButtonBlock' }),
  IMAGE: object({
    type: type('IMAGE'),
    url: address('The address of the image.').defined(),
    alt: text()
      .defined()
      .test(atMost(1_000))
      .meta({ description: 'A text for recipients who do not see the image.', example: 'A box of apples' }),
    link: address('The target of the link.'),
    width: number()
      .integer()
      .min(1)
      .max(600)
      .meta({ description: 'In pixels. The default is the full width.', example: 300 }),
  }).meta({ component: 'ImageBlock' }),
  DIVIDER: object({ type: type('DIVIDER') }).meta({ component: 'DividerBlock' }),
  SPACER: object({
    type: type('SPACER'),
    height: number().integer().min(1).max(200).required().meta({ description: 'In pixels.', example: 24 }),
  }).meta({ component: 'SpacerBlock' }),
  CODE: object({
    type: type('CODE'),
    html: text()
      .defined()
      .test(atMost(MAX_BODY_LENGTH))
      .meta({ description: 'HTML, used unchanged.', example: '<b>Hello</b>' }),
  }).meta({ component: 'CodeBlock' }),
}

/** A union of schemas, selected by the field `type`. */
function typed<Item>(schemas: Record<string, ObjectSchema<AnyObject>>) {
  const unknown = object({ type: string().oneOf(Object.keys(schemas)).required() })
  return lazy((value: unknown): ObjectSchema<Item & AnyObject> => {
    const given =
      typeof value === 'object' && value !== null && Object.hasOwn(value, 'type')
        ? (value as { type: unknown }).type
        : undefined
    const schema = typeof given === 'string' && Object.hasOwn(schemas, given) ? schemas[given]! : unknown
    return schema as unknown as ObjectSchema<Item & AnyObject>
  })
}

const plainBlock = typed<PlainBlock>(PLAIN).meta({ component: 'PlainBlock', variants: Object.values(PLAIN) })

const columns = object({
  type: type('COLUMNS'),
  columns: array()
    .of(
      object({ blocks: array().of(plainBlock).required().max(MAX_BLOCKS) })
        .required()
        .meta({ component: 'Column' }),
    )
    .required()
    .min(2)
    .max(4),
}).meta({
  example: { type: 'COLUMNS', columns: [{ blocks: [{ type: 'DIVIDER' }] }, { blocks: [{ type: 'DIVIDER' }] }] },
  component: 'ColumnsBlock',
  description: 'Columns next to each other. On narrow screens, they are stacked.',
})

const ALL = { ...PLAIN, COLUMNS: columns } as unknown as Record<string, ObjectSchema<AnyObject>>
const block = typed<Block>(ALL).meta({ component: 'Block', variants: Object.values(ALL) })

const color = (what: string, example: string) =>
  string()
    .matches(/^#[0-9a-f]{6}$/i, ({ path }) => `${path} must be a color such as #026b98`)
    .meta({ description: what, json: { pattern: '^#[0-9A-Fa-f]{6}$' }, example })

const designFields = {
  theme: object({
    page: color('The background around the content.', '#f3f6f8'),
    surface: color('The background of the content.', '#ffffff'),
    text: color('The text.', '#131b1f'),
    accent: color('Buttons and links.', '#026b98'),
  })
    .default(undefined)
    .meta({ component: 'Theme', description: 'The colors in light mode.' }),
  blocks: array().of(block).required().max(MAX_BLOCKS),
}

const EXAMPLE: Design = {
  theme: { accent: '#026b98' },
  blocks: [
    {
      type: 'TEXT',
      paragraphs: [{ style: 'HEADING', runs: [{ text: 'Welcome, {{ contact.firstName | default: "friend" }}' }] }],
    },
    { type: 'BUTTON', label: 'Begin', url: 'https://example.com/start' },
  ],
}

/** The schema of an email of blocks; null for an email of code. */
export const design = () =>
  object(designFields).default(undefined).meta({
    component: 'Design',
    description: 'The blocks of an email with the format BLOCKS.',
    example: EXAMPLE,
  }) as unknown as Schema<Design | undefined>
