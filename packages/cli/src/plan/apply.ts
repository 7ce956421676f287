import { type DriplineClient, DriplineError } from '@dripline/client'
import { contentOf, CURRENT, readContent } from './content.ts'
import { fileKeyOf, type JsonObject, withDefaults } from './convert.ts'
import { hashOf } from './lock.ts'
import { yamlFileOf } from './folder.ts'
import type { Change, Plan } from './change.ts'
import { FIELDS } from './shapes.ts'
import { type Bound, lockedOf, namesOf, remoteHashOf, type State, syncedHashOf } from './state.ts'
import { flattenSteps, matchSteps } from './steps.ts'
import { APIS } from './workspace.ts'
import { FileProblems } from './yaml-file.ts'

/** A change that was made. */
export type Applied = Pick<Change, 'action' | 'path'>

/**
 * Makes the changes of a plan, each in one request, or in two (`missingIn`). What was made is recorded at once, so that an
 * interrupted command loses nothing. If the API rejects a change, the later ones are not made.
 */
export async function* applyPlan(
  dripline: DriplineClient,
  { state, changes, unchanged }: Plan,
  env: NodeJS.ProcessEnv,
): AsyncGenerator<Applied, void, undefined> {
  const written = changes.filter(({ action }) => action !== 'delete')
  for (const { action, path, file } of written) {
    await write(dripline, state, file!, env)
    if (file!.kind === 'webhooks') await complete(dripline, state, file!)
    if (action === 'update') await refreshTemplates(dripline, state, file!)
    yield { action, path }
  }
  // A list can require confirmation only after the automation that sends the emails.
  for (const { file } of written.filter(({ kind }) => kind === 'lists')) await complete(dripline, state, file!)
  for (const { action, kind, path, remote } of changes.filter((change) => change.action === 'delete')) {
    await APIS[kind].delete(dripline, remote!.id, remote!.revision)
    state.lock.delete(path)
    state.lock.save()
    yield { action, path }
  }
  const names = namesOf(state)
  for (const file of unchanged) if (file.remote) state.lock.set(file.path, lockedOf(state, file, names))
  state.lock.forget((id) => state.workspace.find(id) !== undefined)
  state.lock.save()
}

/** Creates or updates the resource of a file. */
async function write(dripline: DriplineClient, state: State, file: Bound, env: NodeJS.ProcessEnv): Promise<void> {
  const { kind, yaml, remote } = file
  const { content } = readContent(file, { folder: state.folder, names: namesOf(state), steps: file.steps, env })
  const body = bodyOf(file, content)
  const api = APIS[kind]
  const result = await (
    remote ? api.update(dripline, remote.id, body, remote.revision) : api.create(dripline, body)
  ).catch((error: unknown) => {
    throw inFile(file, error)
  })
  file.steps = { ...file.steps, ...matchSteps(yaml.value['steps'], result.value['steps']) }
  if (remote) Object.assign(remote, result)
  else file.remote = state.workspace.add({ kind, name: file.name, ...result })
  record(state, file)
}

/** Returns what a resource does not have yet, because the API sets it only for one that exists. */
function missingIn({ kind, yaml, remote }: Bound): JsonObject | undefined {
  const isMissing = (key: string, value: unknown) => yaml.value[key] === value && remote?.value?.[key] !== value
  if (kind === 'lists' && isMissing('doubleOptIn', true)) return { doubleOptIn: true }
  if (kind === 'webhooks' && isMissing('status', 'DISABLED')) return { status: 'DISABLED' }
  return undefined
}

async function complete(dripline: DriplineClient, state: State, file: Bound): Promise<void> {
  const missing = missingIn(file)
  if (!missing) return
  Object.assign(file.remote!, await APIS[file.kind].update(dripline, file.remote!.id, missing, undefined))
  record(state, file)
}

/** Templates get another version if a layout or a snippet in them changed. Their own content is the same. */
async function refreshTemplates(dripline: DriplineClient, state: State, { kind }: Bound): Promise<void> {
  if (kind !== 'snippets' && kind !== 'templates') return
  for (const { id, revision } of await APIS.templates.list(dripline)) {
    const remote = state.workspace.find(id)
    if (!remote || remote.revision === revision) continue
    const file = state.files.find((one) => one.remote === remote)
    const loaded = await APIS.templates.load!(dripline, id)
    // A template that another client changed in the meantime keeps its old revision, so that the next plan shows it.
    const isSame = !file || remoteHashOf(state, file) === hashOf(contentOf('templates', loaded.value))
    if (isSame) Object.assign(remote, loaded)
    if (isSame && file?.locked) record(state, file)
  }
}

/** Names the place in the file that the API rejects. */
function inFile({ path, yaml }: Bound, error: unknown): unknown {
  if (!(error instanceof DriplineError) || ![400, 404, 409, 412, 422].includes(error.status ?? 0)) return error
  const at = error.param?.split('/').slice(1) ?? []
  // The content may be in a file of its own.
  const inOwnFile = [...at.slice(0, -1), fileKeyOf(at.at(-1) ?? '')]
  const line = yaml.lineOf(yaml.has(inOwnFile) ? inOwnFile : at)
  return new FileProblems([{ file: yamlFileOf(path), ...(line !== undefined && { line }), message: error.message }])
}

/** Returns the body of the request that writes a file. */
export function bodyOf(file: Bound, content: JsonObject): JsonObject {
  for (const step of flattenSteps(content['steps']))
    if (step['templateVersion'] === CURRENT) delete step['templateVersion']
  const body = withDefaults(FIELDS[file.kind], content)
  // A list that does not require confirmation yet will do so at the end.
  if (file.kind === 'lists' && missingIn(file)) body['doubleOptIn'] = false
  return body
}

/** Records a file. One whose resource lacks something is recorded as what the workspace has, so that the next plan completes it. */
function record(state: State, file: Bound): void {
  const locked = lockedOf(state, file, namesOf(state))
  state.lock.set(file.path, missingIn(file) ? { ...locked, hash: syncedHashOf(locked) } : locked)
  state.lock.save()
}
