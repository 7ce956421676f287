import { keepPreviousData, queryOptions, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { createContext, use, useMemo, type ReactNode } from 'react'
import { type Api, createApi } from './client.ts'
import { isAtLeast, type Role, type Workspace } from './session.ts'

interface WorkspaceContext {
  workspace: Workspace
  api: Api
}

const Context = createContext<WorkspaceContext | null>(null)

export function WorkspaceProvider({ workspace, children }: { workspace: Workspace; children: ReactNode }) {
  const value = useMemo(() => ({ workspace, api: createApi(workspace.id) }), [workspace])
  return <Context value={value}>{children}</Context>
}

/** The workspace whose page this is, and its API. */
export function useWorkspace(): WorkspaceContext {
  const found = use(Context)
  if (!found) throw new Error('This is no page of a workspace')
  return found
}

/** Whether whoever looks may do what needs a role. */
export const useHasRole = (least: Role): boolean => isAtLeast(useWorkspace().workspace.role, least)

export interface QueryOptions {
  /** How often it is read again while somebody looks, in milliseconds. */
  refetchMs?: number
  enabled?: boolean
  /** Not read again by itself. */
  once?: boolean
  /** Whether what was read before stays, where something else is asked for, until that is read. */
  keepPrevious?: boolean
}

/** Reads something of the workspace. What is read stays on the page while it is read again. @param key what it is, and by what */
export function useWorkspaceQuery<Data>(
  key: readonly unknown[],
  read: (api: Api, signal: AbortSignal) => Promise<Data>,
  { refetchMs, enabled = true, once = false, keepPrevious = false }: QueryOptions = {},
): UseQueryResult<Data> {
  const { workspace, api } = useWorkspace()
  return useQuery(
    queryOptions({
      queryKey: [workspace.id, ...key],
      queryFn: ({ signal }) => read(api, signal),
      enabled,
      ...(keepPrevious && { placeholderData: keepPreviousData }),
      ...(once && { staleTime: Infinity, gcTime: 0 }),
      ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
    }),
  )
}

/** Has what was read be read again: all of it, or what begins with a key. */
export function useInvalidate(): (...key: unknown[]) => Promise<void> {
  const client = useQueryClient()
  const { workspace } = useWorkspace()
  return (...key) => client.invalidateQueries({ queryKey: [workspace.id, ...key] })
}
