import type { Api } from './client.ts'
import { useWorkspaceQuery } from './workspace.tsx'

const PAGE_SIZE = 100
/** Limits lists to 2,000 entries to choose from. */
const MAX_PAGES = 20

/** Loads all pages of a list, one after the other. */
export async function readPages<Row>(
  get: (query: {
    page: number
    limit: number
  }) => Promise<{ data: { data: Row[]; pagination: { totalPages: number } } }>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data } = await get({ page, limit: PAGE_SIZE })
    rows.push(...data.data)
    if (page >= data.pagination.totalPages) break
  }
  return rows
}

/** Loads the status of Postgres, Temporal and the mail server. */
export const useServiceStatus = () =>
  useWorkspaceQuery(['service'], async (api, signal) => (await api.GET('/service', { signal })).data.data, {
    refetchMs: 15_000,
  })

export const useStats = () =>
  useWorkspaceQuery(['stats'], async (api, signal) => (await api.GET('/stats', { signal })).data.data, {
    refetchMs: 10_000,
  })

const readLists = (api: Api, signal: AbortSignal) =>
  readPages((query) => api.GET('/lists', { params: { query }, signal }))

export function useLists() {
  const { data } = useWorkspaceQuery(['lists', 'choice'], readLists)
  return data?.map(({ id, name, doubleOptIn }) => ({ value: id, label: name, isAsking: doubleOptIn }))
}

/** Returns a function that finds the name of a list. */
export function useListName(): (id: string) => string | undefined {
  const lists = useLists()
  return (id) => lists?.find(({ value }) => value === id)?.label
}

const readSegments = (api: Api, signal: AbortSignal) =>
  readPages((query) => api.GET('/segments', { params: { query }, signal }))

export function useSegments() {
  const { data } = useWorkspaceQuery(['segments', 'choice'], readSegments)
  return data?.map(({ id, name }) => ({ value: id, label: name }))
}

export const readCampaigns = (api: Api, signal: AbortSignal) =>
  readPages((query) => api.GET('/campaigns', { params: { query }, signal }))

export function useCampaignOptions() {
  const { data } = useWorkspaceQuery(['campaigns', 'names'], readCampaigns)
  return data?.map(({ id, name }) => ({ value: id, label: name }))
}

/** Returns a function that finds the name of a campaign. */
export function useCampaignName(): (id: string) => string | undefined {
  const campaigns = useCampaignOptions()
  return (id) => campaigns?.find(({ value }) => value === id)?.label
}

const readEventNames = (api: Api, signal: AbortSignal) =>
  readPages((query) => api.GET('/events/names', { params: { query }, signal }))

/** Loads the names of stored events, with their use. */
export const useEvents = (refetchMs?: number) =>
  useWorkspaceQuery(['events', 'names'], readEventNames, refetchMs === undefined ? {} : { refetchMs })

/** Loads the names of stored events, for completion. */
export const useEventNames = (): string[] => useEvents().data?.map(({ name }) => name) ?? []

/** Returns the known properties of an event's data, for completion. */
export function useEventProperties(event: string | undefined): string[] {
  const found = useEvents().data?.find(({ name }) => name.toLowerCase() === event?.trim().toLowerCase())
  return found?.properties.map(({ name }) => name) ?? []
}

/** Returns a function that finds the name of a segment. */
export function useSegmentName(): (id: string) => string | undefined {
  const segments = useSegments()
  return (id) => segments?.find(({ value }) => value === id)?.label
}

export const useEmailTemplates = () => useTemplates('EMAIL')

/** Loads the template of a campaign, and whether it has a newer version. `undefined` if there is none or it was deleted. */
export function useCampaignTemplate({
  templateId,
  templateVersion,
}: {
  templateId: string | null
  templateVersion: number | null
}) {
  const template = useEmailTemplates()?.find(({ id }) => id === templateId)
  return template && { ...template, isNewer: template.version > (templateVersion ?? 0) }
}

export function useTemplates(kind: 'EMAIL' | 'LAYOUT') {
  const { data } = useWorkspaceQuery(['templates', 'of', kind], async (api, signal) => {
    const query = { kind, limit: 100 } as const
    return (await api.GET('/templates', { params: { query }, signal })).data.data
  })
  return data
}

/** Collects the metadata keys of the newest contacts, for completion. */
export function useMetadataKeys(): readonly string[] {
  const { data } = useWorkspaceQuery(['contacts', 'keys'], async (api, signal) => {
    const { data: listed } = await api.GET('/contacts', { params: { query: { limit: 20 } }, signal })
    return [...new Set(listed.data.flatMap(({ metadata }) => Object.keys(metadata)))].filter((key) => /^\w+$/.test(key))
  })
  return data ?? []
}

/** Loads the settings of the workspace. */
export const useSettings = () =>
  useWorkspaceQuery(['settings'], async (api, signal) => (await api.GET('/workspace', { signal })).data.data)

/** Loads the sender of the workspace. */
export const useSender = (refetchMs?: number) =>
  useWorkspaceQuery(
    ['sender'],
    async (api, signal) => (await api.GET('/sender', { signal })).data.data,
    refetchMs === undefined ? {} : { refetchMs },
  )

const DNS_MS = { open: 15_000, complete: 5 * 60_000 }

/** Checks the DNS records of the sender, again soon as long as one is missing or wrong. */
export const useDnsCheck = (enabled: boolean) =>
  useWorkspaceQuery(['sender', 'dns'], async (api, signal) => (await api.POST('/sender/check', { signal })).data.data, {
    enabled,
    refetchMs: (check) => (check?.records.every(({ status }) => status === 'OK') ? DNS_MS.complete : DNS_MS.open),
  })
