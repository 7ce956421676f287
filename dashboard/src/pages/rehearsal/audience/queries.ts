import type { Schemas } from '../../../api/client.ts'
import { useWorkspaceQuery } from '../../../api/workspace.tsx'

export type Rehearsal = Schemas['Rehearsal']
export type RehearsedContact = Schemas['RehearsalResult']

/** Milliseconds between two reads while a rehearsal runs. */
const REFETCH_MS = 1_000
const NEVER = 3_600_000
const PAGE_SIZE = 20

/** Reads a rehearsal, again and again while it runs. */
export const useRehearsal = (id: string) =>
  useWorkspaceQuery(
    ['rehearsals', id],
    async (api, signal) => (await api.GET('/rehearsals/{id}', { params: { path: { id } }, signal })).data.data,
    { refetchMs: (read) => (read === undefined || read.status === 'RUNNING' ? REFETCH_MS : NEVER) },
  )

/** Reads a page of the contacts of a rehearsal. @param difference only contacts who get that many more emails */
export const useRehearsedContacts = (
  id: string,
  { page, difference }: { page: number; difference: number | undefined },
) =>
  useWorkspaceQuery(
    ['rehearsals', id, 'contacts', page, difference],
    async (api, signal) => {
      const query = { page, limit: PAGE_SIZE, ...(difference !== undefined && { difference }) }
      return (await api.GET('/rehearsals/{id}/contacts', { params: { path: { id }, query }, signal })).data
    },
    { keepPrevious: true },
  )
