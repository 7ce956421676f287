import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isTransient, isSignedOut } from './client.ts'
import { sessionQuery } from './session.ts'

/** Reloads the session when a request finds that it has ended, so that the sign-in dialog opens over the page. Does so once. */
function onError(error: unknown): void {
  const { queryKey } = sessionQuery
  const known = queryClient.getQueryState(queryKey)
  if (isSignedOut(error) && known?.fetchStatus !== 'fetching' && !isSignedOut(known?.error))
    void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false })
}

/** First part of the query key of data that is being edited. It is not refetched while the user edits. */
export const EDITED_KEY = 'opened'

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => isTransient(error) && failures < 3,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 10_000),
      // Keep polling after the retries, so that the page recovers without a reload.
      refetchInterval: ({ state }) => (state.status === 'error' && isTransient(state.error) ? 5_000 : false),
      staleTime: 5_000,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    // Fail at once when offline. A queued mutation could run later, when the user no longer wants it.
    mutations: { retry: false, networkMode: 'always' },
  },
})
