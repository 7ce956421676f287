import { keepPreviousData, queryOptions, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { createContext, use, useMemo, type ReactNode } from 'react'
import { type Api, createApi } from './client.ts'
import { isAtLeast, type Role, type Workspace } from './session.ts'

interface InWorkspace {
  workspace: Workspace
  api: Api
}

const Context = createContext<InWorkspace | null>(null)

export function WorkspaceProvider({ workspace, children }: { workspace: Workspace; children: ReactNode }) {
  const value = useMemo(() => ({ workspace, api: createApi(workspace.id) }), [workspace])
  return <Context value={value}>{children}</Context>
}

/** The workspace whose page this is, and its API. */
export function useWorkspace(): InWorkspace {
  const found = use(Context)
  if (!found) throw new Error('This is no page of a workspace')
  return found
}

/** Whether whoever looks may do what needs a role. */
export const useMay = (least: Role): boolean => isAtLeast(useWorkspace().workspace.role, least)

export interface ReadOptions {
  /** How often it is read again while somebody looks, in milliseconds. */
  everyMs?: number
  enabled?: boolean
  /** Not read again by itself. */
  once?: boolean
  /** Whether what was read before stays, where something else is asked for, until that is read. */
  keep?: boolean
}

/** Reads something of the workspace. What is read stays on the page while it is read again. @param key what it is, and by what */
export function useRead<Data>(
  key: readonly unknown[],
  read: (api: Api, signal: AbortSignal) => Promise<Data>,
  { everyMs, enabled = true, once = false, keep = false }: ReadOptions = {},
): UseQueryResult<Data> {
  const { workspace, api } = useWorkspace()
  return useQuery(
    queryOptions({
      queryKey: [workspace.id, ...key],
      queryFn: ({ signal }) => read(api, signal),
      enabled,
      ...(keep && { placeholderData: keepPreviousData }),
      ...(once && { staleTime: Infinity, gcTime: 0 }),
      ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    }),
  )
}

/** Has what was read be read again: all of it, or what begins with a key. */
export function useReadAgain(): (...key: unknown[]) => Promise<void> {
  const client = useQueryClient()
  const { workspace } = useWorkspace()
  return (...key) => client.invalidateQueries({ queryKey: [workspace.id, ...key] })
}
