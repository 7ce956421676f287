import { keepPreviousData, queryOptions, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { createContext, use, useCallback, useMemo, type ReactNode } from 'react'
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

export function useWorkspace(): WorkspaceContext {
  const found = use(Context)
  if (!found) throw new Error('useWorkspace needs a WorkspaceProvider')
  return found
}

/** Checks whether the signed-in member has at least this role. */
export const useHasRole = (least: Role): boolean => isAtLeast(useWorkspace().workspace.role, least)

export interface QueryOptions<Data> {
  /** Milliseconds between refetches while the page is visible. May depend on the data. */
  refetchMs?: number | ((data: Data | undefined) => number)
  enabled?: boolean
  /** Milliseconds for which loaded data is fresh enough when another page shows it. */
  staleMs?: number
  /** Never refetched automatically. */
  once?: boolean
  /** Keeps showing the previous data while a new key loads. */
  keepPrevious?: boolean
}

/** Loads data of the workspace. The data stays on the page while it is refetched. */
export function useWorkspaceQuery<Data>(
  key: readonly unknown[],
  read: (api: Api, signal: AbortSignal) => Promise<Data>,
  { refetchMs, staleMs, enabled = true, once = false, keepPrevious = false }: QueryOptions<Data> = {},
): UseQueryResult<Data> {
  const { workspace, api } = useWorkspace()
  return useQuery(
    queryOptions({
      queryKey: [workspace.id, ...key],
      queryFn: ({ signal }) => read(api, signal),
      enabled,
      ...(keepPrevious && { placeholderData: keepPreviousData }),
      ...(staleMs !== undefined && { staleTime: staleMs }),
      ...(once && { staleTime: Infinity, gcTime: 0 }),
      ...(refetchMs !== undefined && {
        refetchInterval:
          typeof refetchMs === 'number'
            ? refetchMs
            : ({ state }: { state: { data: Data | undefined } }) => refetchMs(state.data),
      }),
    }),
  )
}

/** Returns a function that refetches all data of the workspace, or what a key prefix selects. */
export function useInvalidate(): (...key: unknown[]) => Promise<void> {
  const client = useQueryClient()
  const { workspace } = useWorkspace()
  return useCallback((...key) => client.invalidateQueries({ queryKey: [workspace.id, ...key] }), [client, workspace.id])
}
