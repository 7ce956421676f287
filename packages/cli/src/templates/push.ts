import { type DriplineClient, DriplineError, type Schemas } from '@dripline/client'
import { hashOf, type TemplateFolder } from './folder.ts'
import type { Outcome } from './pull.ts'
import { fileOf, formatTemplate, parseTemplate, type TemplateFile } from './template-file.ts'

/** Partials and layouts come before the emails that use them. */
const ORDER: Record<TemplateFile['kind'], number> = { PARTIAL: 0, LAYOUT: 1, EMAIL: 2 }

interface PushOptions {
  /** Overwrites templates that were changed in the workspace. */
  isForced: boolean
  /** Reports what would be done, and does nothing. */
  isDryRun: boolean
}

/** A template in the workspace. */
type Remote = Pick<Schemas['Template'], 'id' | 'name' | 'kind' | 'version'>

interface ParsedFile {
  file: string
  text: string
  content: TemplateFile
}

/**
 * Creates or updates the template of each file that was changed since the last pull or push. A template that was changed in the
 * workspace is a conflict. Templates without a file remain.
 */
export async function* pushTemplates(
  dripline: DriplineClient,
  folder: TemplateFolder,
  { isForced, isDryRun }: PushOptions,
): AsyncGenerator<Outcome, void, undefined> {
  const listed = await dripline.templates.list().toArray()
  const remote = new Map<string, Remote>(listed.map((one) => [one.id, one]))
  const idOf = (name: string) => [...remote.values()].find((one) => one.name === name)?.id
  const files: ParsedFile[] = []
  for (const file of folder.files()) {
    const text = folder.read(file) ?? ''
    try {
      files.push({ file, text, content: parseTemplate(file, text) })
    } catch (error) {
      yield { file, name: '', status: 'failed', message: (error as Error).message }
    }
  }
  files.sort((one, other) => ORDER[one.content.kind] - ORDER[other.content.kind])

  for (const { file, text, content } of files) {
    const { kind, ...fields } = content
    const { name } = fields
    const synced = folder.syncedOf(file)
    const known = synced && remote.get(synced.id)
    if (known && synced.hash === hashOf(text) && !(isForced && known.version !== synced.version)) {
      yield { file, name, status: 'unchanged' }
      continue
    }
    try {
      const existing = known ?? remote.get(idOf(name) ?? '')
      if (existing && existing.kind !== kind) {
        throw new Error(`The template is of kind ${existing.kind}, which cannot change. Use another name.`)
      }
      if (existing && !known && !isForced) {
        const template = await dripline.templates.get(existing.id)
        const layout = template.layoutId === null ? undefined : remote.get(template.layoutId)?.name
        if (formatTemplate(fileOf(template, layout)) !== formatTemplate(content)) {
          const message = 'A template with this name exists. Pull it first, or use --force to overwrite it.'
          yield { file, name, status: 'conflict', message }
          continue
        }
        if (!isDryRun) folder.record(file, { id: template.id, name, version: template.version, hash: hashOf(text) })
        yield { file, name, status: 'unchanged' }
        continue
      }
      // The API checks the version again, when it writes.
      if (known && !isForced && known.version !== synced.version) throw CONFLICT
      if (!isDryRun) {
        const body = bodyOf(fields, idOf)
        const written = existing
          ? await dripline.templates.replace(
              existing.id,
              body,
              isForced ? {} : { ifMatch: `"${(synced ?? existing).version}"` },
            )
          : await dripline.templates.create({ ...body, kind })
        remote.set(written.id, written)
        folder.record(file, { id: written.id, name, version: written.version, hash: hashOf(text) })
      }
      yield { file, name, status: existing ? 'updated' : 'created' }
    } catch (error) {
      // Without a valid key, no file can be pushed.
      if (error instanceof DriplineError && (error.status === undefined || [401, 403].includes(error.status)))
        throw error
      const isConflict = error === CONFLICT || (error instanceof DriplineError && error.code === 'revision_conflict')
      yield isConflict
        ? { file, name, status: 'conflict', message: CONFLICT.message }
        : { file, name, status: 'failed', message: (error as Error).message }
    }
  }
}

const CONFLICT = new Error(
  'The template was changed in the workspace. Pull it and apply your changes to it, or use --force to overwrite it.',
)

function bodyOf(
  { layout, ...content }: Omit<TemplateFile, 'kind'>,
  idOf: (name: string) => string | undefined,
): Schemas['TemplateContent'] {
  if (layout === undefined) return content
  const layoutId = idOf(layout)
  if (layoutId === undefined) {
    throw new Error(`The layout "${layout}" does not exist in the workspace. Add its file, or correct the name.`)
  }
  return { ...content, layoutId }
}
