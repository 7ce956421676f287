import PostalMime, { addressParser, type Attachment, type Email } from 'postal-mime'

/** A file of a submitted mail, with the parameters of its type. */
export type SubmittedFile = Attachment & { parameters: Readonly<Record<string, string>> }

/** A parsed mail, with the number of its authors, and the types of the whole and of its parts. */
export type SubmittedMail = Omit<Email, 'attachments'> & {
  authors: number
  types: string[]
  attachments: SubmittedFile[]
}

/** A part of a mail: what `postal-mime` 4.0 keeps of it. */
interface Part {
  contentType: { parsed: { value: string; params: Record<string, string> }; multipart: string | false }
  childNodes: Part[]
  contentDisposition: { parsed: { params: Record<string, string> } }
}

/** The methods and fields of `postal-mime` 4.0 that its types leave out. */
interface Internals {
  root: Part
  attachments: SubmittedFile[]
  isInlineTextNode: (part: Part) => boolean
  collectNode: (part: Part, ...rest: unknown[]) => Promise<void>
  collectAttachment: (part: Part, content: ArrayBuffer, ...rest: unknown[]) => void
}

const ASCII = /^(?:us-)?ascii$|^ansi_x3\.4-1968$/i

/** Checks whether a text can be read by its declaration. */
function isCharset(name: string): boolean {
  if (ASCII.test(name)) return false
  try {
    new TextDecoder(name)
    return true
  } catch {
    return false
  }
}

/**
 * Creates a parser of submitted mail. Attached mails stay attached, and files keep the parameters of their types. Text that is declared as ASCII
 * or as something unknown is read as UTF-8, which is the same unless the declaration is wrong.
 */
function createParser(): PostalMime & Internals {
  const parser = new PostalMime({ forceRfc822Attachments: true }) as PostalMime & Internals
  const { collectNode, collectAttachment, isInlineTextNode } = parser
  // A text with a file name is a file, also if it is shown in the mail.
  parser.isInlineTextNode = (part) =>
    isInlineTextNode.call(parser, part) &&
    (part === parser.root ||
      (part.contentDisposition.parsed.params['filename'] ?? part.contentType.parsed.params['name']) === undefined)
  parser.collectNode = (part, ...rest) => {
    const { params } = part.contentType.parsed
    if (params['charset'] !== undefined && !isCharset(params['charset'])) params['charset'] = 'utf-8'
    return collectNode.call(parser, part, ...rest)
  }
  parser.collectAttachment = (part, content, ...rest) => {
    collectAttachment.call(parser, part, content, ...rest)
    const file = parser.attachments.at(-1)!
    file.parameters = part.contentType.parsed.params
    // postal-mime converts calendars to UTF-8, and changes their line ends.
    file.content = content
  }
  return parser
}

/** The types of a part and of those in it. @throws {Error} if the parts cannot be separated, and so would be lost */
function typesOf({ contentType: { parsed, multipart }, childNodes }: Part): string[] {
  if (multipart !== false && childNodes.length === 0)
    throw new Error(`${parsed.value.slice(0, 50)} has no parts: check its boundary`)
  return [parsed.value, ...childNodes.flatMap(typesOf)]
}

/** Parses a submitted mail. @throws {Error} if its structure is wrong, or beyond the limits of the parser */
export async function parseSubmittedMail(raw: Uint8Array): Promise<SubmittedMail> {
  const parser = createParser()
  const mail = await parser.parse(raw)
  const from = mail.headers.find(({ key }) => key === 'from')?.value ?? ''
  const authors = addressParser(from).flatMap((each) => each.group ?? [each]).length
  return { ...mail, authors, types: typesOf(parser.root) } as SubmittedMail
}
