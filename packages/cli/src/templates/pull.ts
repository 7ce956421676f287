import type { DriplineClient } from '@dripline/client'
import { hashOf, type TemplateFolder } from './folder.ts'
import { extensionOf, fileOf, formatTemplate, slugOf } from './template-file.ts'

/** The outcome of one file or template. */
export interface Outcome {
  file: string
  name: string
  status: 'created' | 'updated' | 'unchanged' | 'kept' | 'deleted' | 'conflict' | 'failed'
  message?: string
}

/**
 * Writes each template into its file. A file that was changed since the last pull or push is kept, or is a conflict if the template
 * was changed, too.
 *
 * @param isForced overwrites changed files
 */
export async function* pullTemplates(
  dripline: DriplineClient,
  folder: TemplateFolder,
  isForced: boolean,
): AsyncGenerator<Outcome, void, undefined> {
  const summaries = await dripline.templates.list().toArray()
  const names = new Map(summaries.map(({ id, name }) => [id, name]))
  const reserved = new Set(folder.files().map(stemOf))
  for (const { id, name, version } of summaries) {
    const file = folder.fileOf(id)
    const synced = file === undefined ? undefined : folder.syncedOf(file)
    const local = file === undefined ? undefined : folder.read(file)
    const isChanged = local !== undefined && hashOf(local) !== synced?.hash
    if (
      file !== undefined &&
      local !== undefined &&
      synced?.version === version &&
      synced.name === name &&
      !(isForced && isChanged)
    ) {
      yield { file, name, status: isChanged ? 'kept' : 'unchanged' }
      continue
    }
    const template = await dripline.templates.get(id)
    const content = fileOf(template, template.layoutId === null ? undefined : names.get(template.layoutId))
    const text = formatTemplate(content)
    const target = targetOf(file, slugOf(name), extensionOf(content), reserved, (other) => folder.read(other) === text)
    if (file !== undefined && isChanged && !isForced && hashOf(text) !== hashOf(local)) {
      const message = 'Both the file and the template were changed. Move the file away and pull again, or use --force.'
      yield { file, name, status: 'conflict', message }
      continue
    }
    folder.write(target, text)
    if (file !== undefined && file !== target) {
      folder.delete(file)
      folder.record(file, undefined)
    }
    folder.record(target, { id, name: template.name, version: template.version, hash: hashOf(text) })
    yield { file: target, name, status: local === undefined ? 'created' : 'updated' }
  }
  for (const [file, { id, name }] of folder.allSynced()) {
    if (names.has(id)) continue
    folder.record(file, undefined)
    const message =
      'The template was deleted in the workspace. Delete the file, or push it to create the template again.'
    yield { file, name, status: 'deleted', message }
  }
}

const stemOf = (file: string): string => file.replace(/\.\w+$/, '')

/** Returns the file of a template: its current one, unless its format has changed, or a new one beside the others. */
function targetOf(
  file: string | undefined,
  slug: string,
  extension: string,
  reserved: Set<string>,
  isSame: (file: string) => boolean,
): string {
  if (file !== undefined) return stemOf(file) + extension
  let stem = slug
  for (let n = 2; reserved.has(stem) && !isSame(stem + extension); n += 1) stem = `${slug}-${n}`
  reserved.add(stem)
  return stem + extension
}
