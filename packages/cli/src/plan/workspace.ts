import type { DriplineClient } from '@dripline/client'
import { contentOf } from './content.ts'
import { asText, type JsonObject } from './convert.ts'
import { limited } from './limited.ts'
import { type Kind, KINDS } from './shapes.ts'

/** A resource of the workspace. */
export interface Remote {
  kind: Kind
  id: string
  /** The name for people, by which a file finds its resource the first time. */
  name: string
  /** Grows with each change, for the kinds that have an ETag. */
  revision?: number
  /** The resource, once it is loaded. */
  value?: JsonObject
  /** Whether the dashboard has unpublished changes to it. */
  hasDraft?: boolean
}

/** A written resource. The value is missing if the key may not read it. */
interface Written {
  id: string
  revision?: number
  value: JsonObject
}

/** The requests that read and write a kind of resources. */
interface KindApi {
  list: (dripline: DriplineClient) => Promise<Remote[]>
  /** Loads a resource whose list has no content. */
  load?: (dripline: DriplineClient, id: string) => Promise<Written>
  create: (dripline: DriplineClient, body: JsonObject) => Promise<Written>
  /** @param revision the revision that the change applies to */
  update: (dripline: DriplineClient, id: string, body: JsonObject, revision: number | undefined) => Promise<Written>
  delete: (dripline: DriplineClient, id: string, revision: number | undefined) => Promise<unknown>
}

const revisionOf = (response: Response): number => Number(response.headers.get('etag')?.replaceAll('"', ''))
const etagOf = (revision: number | undefined) => ({ 'If-Match': `"${revision}"` })
const at = (id: string) => ({ path: { id } })

interface WithId {
  id: string
}
/** The types of bodies are those of files, which the API checks. */
const written = ({ data, response }: { data: { data: WithId }; response: Response }): Written => {
  const hasRevision = response.headers.has('etag')
  return { ...asValue(data.data), ...(hasRevision && { revision: revisionOf(response) }) }
}
const asValue = (value: WithId): Written => ({ id: value.id, value: value as unknown as JsonObject })
const body = (content: JsonObject) => content as never

const templatesOf = (kind: 'templates' | 'snippets'): KindApi => ({
  async list(dripline) {
    const all = await dripline.templates.list(kind === 'snippets' ? { kind: 'PARTIAL' } : {}).toArray()
    return all
      .filter((one) => (one.kind === 'PARTIAL') === (kind === 'snippets'))
      .map(({ id, name, version }) => ({ kind, id, name, revision: version }))
  },
  load: async (dripline, id) => written(await dripline.GET('/templates/{id}', { params: at(id) })),
  create: async (dripline, content) =>
    written(
      await dripline.POST('/templates', {
        body: body(kind === 'snippets' ? { ...content, kind: 'PARTIAL' } : content),
      }),
    ),
  // The kind of a template never changes.
  update: async (dripline, id, content, revision) =>
    written(
      await dripline.PUT('/templates/{id}', {
        params: { ...at(id), header: etagOf(revision) },
        body: body({ ...content, kind: undefined }),
      }),
    ),
  delete: (dripline, id) => dripline.templates.delete(id),
})

/** A webhook without a description is known by its URL. */
export const webhookName = ({ description, url }: JsonObject): string => asText(description ?? url ?? 'Polled')

/** The sender has no ID, because a workspace has one. Without settings, there is none. */
const senderOf = (value: object): Remote => ({
  kind: 'sender',
  id: 'sender',
  name: 'sender',
  value: value as JsonObject,
})
const setSender = async (dripline: DriplineClient, content: JsonObject): Promise<Written> => {
  const { id, value } = senderOf(await dripline.workspace.setSender(body(content)))
  return { id, value: value! }
}

export const APIS: Readonly<Record<Kind, KindApi>> = {
  automations: {
    async list(dripline) {
      const all = await dripline.automations.list().toArray()
      return all.map(({ id, name, revision, hasDraft }) => ({ kind: 'automations', id, name, revision, hasDraft }))
    },
    load: async (dripline, id) => written(await dripline.GET('/automations/{id}', { params: at(id) })),
    create: async (dripline, content) => written(await dripline.POST('/automations', { body: body(content) })),
    update: async (dripline, id, content, revision) =>
      written(
        await dripline.POST('/automations/{id}/publish', {
          params: { ...at(id), header: etagOf(revision) },
          body: body(content),
        }),
      ),
    delete: (dripline, id, revision) => dripline.automations.delete(id, { ifMatch: `"${revision}"` }),
  },
  sender: {
    async list(dripline) {
      const sender = senderOf(await dripline.workspace.getSender())
      return Object.keys(contentOf('sender', sender.value!)).length > 0 ? [sender] : []
    },
    create: setSender,
    update: (dripline, _id, content) => setSender(dripline, content),
    delete: (dripline) => setSender(dripline, {}),
  },
  templates: templatesOf('templates'),
  snippets: templatesOf('snippets'),
  segments: {
    async list(dripline) {
      const all = await dripline.segments.list().toArray()
      return all.map((one) => ({ kind: 'segments', name: one.name, ...asValue(one) }))
    },
    create: async (dripline, content) => asValue(await dripline.segments.create(body(content))),
    update: async (dripline, id, content) => asValue(await dripline.segments.update(id, content)),
    delete: (dripline, id) => dripline.segments.delete(id),
  },
  lists: {
    async list(dripline) {
      const all = await dripline.lists.list().toArray()
      return all.map((one) => ({ kind: 'lists', name: one.name, ...asValue(one) }))
    },
    create: async (dripline, content) => asValue(await dripline.lists.create(body(content))),
    update: async (dripline, id, content) => asValue(await dripline.lists.update(id, content)),
    delete: (dripline, id) => dripline.lists.delete(id),
  },
  webhooks: {
    async list(dripline) {
      const all = await dripline.webhooks.list()
      return all.map((one) => ({ kind: 'webhooks', name: webhookName(one as unknown as JsonObject), ...asValue(one) }))
    },
    // A new webhook is enabled.
    create: async (dripline, content) =>
      asValue(await dripline.webhooks.create(body({ ...content, status: undefined }))),
    update: async (dripline, id, content) => asValue(await dripline.webhooks.update(id, content)),
    delete: (dripline, id) => dripline.webhooks.delete(id),
  },
}

/** The resources of a workspace. Contents are loaded when they are needed. */
export class Workspace {
  readonly campaigns: { id: string; name: string }[] = []
  readonly #dripline: DriplineClient
  readonly #remotes = new Map<string, Remote>()

  constructor(dripline: DriplineClient) {
    this.#dripline = dripline
  }

  async list(): Promise<void> {
    const listed = await limited(KINDS, (kind) => APIS[kind].list(this.#dripline))
    for (const remote of listed.flat()) this.#remotes.set(remote.id, remote)
  }

  /** The resources, newest first in each kind. */
  get remotes(): Remote[] {
    return [...this.#remotes.values()]
  }

  /** Adds a created resource. */
  add(remote: Remote): Remote {
    this.#remotes.set(remote.id, remote)
    return remote
  }

  find(id: string): Remote | undefined {
    return this.#remotes.get(id)
  }

  /** Lists the campaigns, to which conditions can refer. */
  async listCampaigns(): Promise<void> {
    for await (const { id, name } of this.#dripline.campaigns.list()) this.campaigns.push({ id, name })
  }

  /** Loads the contents of resources. */
  async load(remotes: readonly Remote[]): Promise<void> {
    await limited(remotes, async (remote) => {
      const { load } = APIS[remote.kind]
      if (remote.value === undefined && load) Object.assign(remote, await load(this.#dripline, remote.id))
    })
  }
}
