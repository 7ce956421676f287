import { LockMode } from '@mikro-orm/core'
import { violatedConstraint } from '../platform/db/errors.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { isId, newId } from '../platform/ids.ts'
import { CONFLICT, ApiError } from '../platform/api-error.ts'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import type { Renderer, TemplateKind } from '../rendering/index.ts'
import { assertCompiles, type Compilation, compileTemplate, lengthOf, MAX_COMPILING_MS } from './compile-template.ts'
import type { Design } from './design.ts'
import { Template, TemplateVersion, type WrittenContent, type WrittenFormat, type WrittenTemplate } from './entities.ts'
import { dependentsOf, type Dependent, lockVersions } from './queries.ts'
import { localeKey } from '../platform/locale.ts'
import { PARTIAL_NAME_TAKEN, TEMPLATE_IN_USE, TEMPLATE_NOT_FOUND } from './errors.ts'

type ContentFields = { [Field in 'subject' | 'previewText' | 'html' | 'text']?: string | null | undefined } & {
  design?: Design | undefined
}

/** The content of a template in a request. */
export interface ContentInput extends ContentFields {
  format?: WrittenFormat | undefined
  layoutId?: string | null | undefined
  translations?: (ContentFields & { locale: string })[] | undefined
}

const contentOf = ({ subject, previewText, html, text, design }: ContentFields): WrittenContent => ({
  subject: subject ?? null,
  previewText: previewText ?? null,
  html: html ?? null,
  text: text ?? null,
  ...(design && { design }),
})

export const toWrittenTemplate = (input: ContentInput): WrittenTemplate => ({
  ...contentOf(input),
  format: input.format ?? 'HTML',
  layoutId: input.layoutId ?? null,
  translations: Object.fromEntries(
    (input.translations ?? []).map(({ locale, ...fields }) => [localeKey(locale), contentOf(fields)]),
  ),
})

export interface TemplateDetail {
  template: Template
  written: TemplateVersion
}

/** @throws {ApiError} `template_not_found`, also for a missing version */
export async function getTemplate(
  em: EntityManager,
  workspaceId: string,
  id: string,
  version?: number,
): Promise<TemplateDetail> {
  const unit = unitOf(em)
  const template = isId(id) ? await unit.findOne(Template, { id, workspaceId }, FRESH_READ) : null
  const written =
    template &&
    (await unit.findOne(TemplateVersion, { templateId: id, version: version ?? template.version }, FRESH_READ))
  if (!template || !written) throw new ApiError(TEMPLATE_NOT_FOUND)
  return { template, written }
}

/** The maximum number of templates that a change to a layout or partial recompiles. */
const MAX_DEPENDENTS = 100
const MAX_CHARACTERS = 16_000_000

/** The compiled result of a write: the template, and those that use it. */
export interface Prepared {
  written: WrittenTemplate
  compilation: Compilation
  dependents: { of: Dependent; written: WrittenTemplate; compilation: Compilation }[]
}

/**
 * Compiles a template, and those that use it. Runs before the transaction, because it takes a while.
 *
 * @param of the template to replace, or the kind of a new one
 * @param mostMs the time limit in milliseconds
 * @throws {ApiError} `invalid_template`, even if only another template would become invalid; `template_not_found`; `busy`
 */
export async function prepareTemplate(
  em: EntityManager,
  renderer: Renderer,
  workspaceId: string,
  input: ContentInput,
  of: { kind: TemplateKind } | { id: string },
  mostMs = MAX_COMPILING_MS,
): Promise<Prepared> {
  const written = toWrittenTemplate(input)
  const id = 'id' in of ? of.id : undefined
  const kind = 'id' in of ? (await getTemplate(em, workspaceId, of.id)).template.kind : of.kind
  const until = performance.now() + mostMs
  const compilation = await compileTemplate(em, renderer, workspaceId, { kind, written, until })
  assertCompiles(compilation)
  if (id === undefined || kind === 'EMAIL') return { written, compilation, dependents: [] }
  const dependents = []
  let characters = 0
  for (const dependent of await dependentsOf(em.fork(), id, MAX_DEPENDENTS + 1)) {
    if (dependents.length === MAX_DEPENDENTS) {
      throw new ApiError(TEMPLATE_IN_USE, {
        message: `More than ${MAX_DEPENDENTS} templates use this one, too many to update at once`,
      })
    }
    const their = (await getTemplate(em, workspaceId, dependent.id)).written.source
    const instead = { id, html: written.html ?? '' }
    const options = { kind: dependent.kind, written: their, instead, until }
    const made = await compileTemplate(em, renderer, workspaceId, options)
    assertCompiles(made, `In the template "${dependent.name}", which uses this one: `)
    characters += lengthOf(made.compiled)
    if (characters > MAX_CHARACTERS) {
      throw new ApiError(TEMPLATE_IN_USE, {
        message: `The templates that use this one have more than ${MAX_CHARACTERS.toLocaleString('en-US')} characters in total, too many to update at once`,
      })
    }
    dependents.push({ of: dependent, written: their, compilation: made })
  }
  return { written, compilation, dependents }
}

/** @throws {ApiError} `template_name_taken`; `conflict` */
export function createTemplate(
  em: EntityManager,
  workspaceId: string,
  { name, kind }: { name: string; kind: TemplateKind },
  { written, compilation }: Prepared,
  id = newId(),
): Promise<TemplateDetail> {
  return nameOnce(() =>
    unitOf(em).transactional(async (unit) => {
      await assertUsesUnchanged(unit, workspaceId, [compilation])
      const template = unit.create(Template, { id, workspaceId, kind, name })
      await unit.flush()
      return { template, written: await writeVersion(unit, template, written, compilation) }
    }),
  )
}

/**
 * Replaces the content of a template with a new version, and recompiles the templates that use it.
 *
 * @throws {ApiError} `template_not_found`; `revision_conflict`; `template_name_taken`; `conflict`
 */
export function replaceTemplate(
  em: EntityManager,
  workspaceId: string,
  id: string,
  name: string,
  { written, compilation, dependents }: Prepared,
  expected: Revisions,
): Promise<TemplateDetail> {
  return nameOnce(() =>
    unitOf(em).transactional(async (unit) => {
      await assertUsesUnchanged(unit, workspaceId, [compilation, ...dependents.map((each) => each.compilation)], id)
      const template = await lockTemplate(unit, workspaceId, id)
      assertUnchanged(expected, template.version)
      const isAnew = new Map(dependents.map(({ of }) => [of.id, of.version]))
      const now = template.kind === 'EMAIL' ? [] : await dependentsOf(unit, id, MAX_DEPENDENTS + 1)
      if (now.length !== isAnew.size || now.some((each) => isAnew.get(each.id) !== each.version)) {
        throw new ApiError(CONFLICT)
      }
      if (template.kind === 'PARTIAL' && template.name !== name && dependents.length > 0) {
        throw new ApiError(TEMPLATE_IN_USE, {
          param: '/name',
          message: 'Templates use this partial by its current name. Change those first.',
        })
      }
      template.name = name
      template.version += 1
      template.updatedAt = new Date()
      await unit.flush()
      const version = await writeVersion(unit, template, written, compilation)
      for (const { of, written: their, compilation: made } of dependents) {
        const dependent = await lockTemplate(unit, workspaceId, of.id)
        dependent.version += 1
        await unit.flush()
        await writeVersion(unit, dependent, their, made)
      }
      return { template, written: version }
    }),
  )
}

/**
 * Deletes a template with its versions. Automations and campaigns keep its content.
 *
 * @throws {ApiError} `template_not_found`; `template_in_use` for a layout or a partial
 */
export async function deleteTemplate(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  await unitOf(em).transactional(async (unit) => {
    // Lock: a concurrent write of a template that uses this one either has committed or sees that this one is deleted.
    await lockVersions(unit, workspaceId, [])
    await lockTemplate(unit, workspaceId, id)
    const dependents = await dependentsOf(unit, id, 3)
    if (dependents.length > 0) {
      const names = dependents.map(({ name }) => `"${name}"`).join(', ')
      throw new ApiError(TEMPLATE_IN_USE, {
        message: `This layout or partial is used by the templates ${names}. Change those first.`,
      })
    }
    await unit.nativeDelete(Template, { id, workspaceId })
  })
}

/**
 * Checks that the layouts and partials did not change since the compilation, which ran before the transaction.
 *
 * @param but the template that is being written, whose revision is checked separately
 */
async function assertUsesUnchanged(
  unit: EntityManager,
  workspaceId: string,
  compilations: readonly Compilation[],
  but?: string,
): Promise<void> {
  const uses = compilations.flatMap((each) => [...each.uses]).filter(([id]) => id !== but)
  const versions = await lockVersions(unit, workspaceId, [...new Set(uses.map(([id]) => id))])
  if (uses.some(([id, version]) => versions.get(id) !== version)) throw new ApiError(CONFLICT)
}

async function lockTemplate(unit: EntityManager, workspaceId: string, id: string): Promise<Template> {
  const template = isId(id)
    ? await unit.findOne(Template, { id, workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    : null
  if (!template) throw new ApiError(TEMPLATE_NOT_FOUND)
  return template
}

async function writeVersion(
  unit: EntityManager,
  { id, version }: Template,
  source: WrittenTemplate,
  { compiled, variables, uses }: Compilation,
): Promise<TemplateVersion> {
  const written = unit.create(TemplateVersion, {
    templateId: id,
    version,
    source,
    compiled,
    variables,
    uses: [...uses.keys()],
  })
  await unit.flush()
  return written
}

async function nameOnce<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (violatedConstraint(error) === 'templates_partial_name')
      throw new ApiError(PARTIAL_NAME_TAKEN, { param: '/name' })
    throw error
  }
}
