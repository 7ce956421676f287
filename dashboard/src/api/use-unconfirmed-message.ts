import { useMutation } from '@tanstack/react-query'
import { useInvalidate, useWorkspace } from './workspace.tsx'

/** Resolves an unconfirmed message: send it again, or dismiss it. */
export function useUnconfirmedMessage(id: string) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const params = { path: { id } }
  const onSettled = () => invalidate()
  const resend = useMutation({
    mutationFn: () => api.POST('/messages/{id}/retry', { params, body: { evenIfSent: true } }),
    onSettled,
  })
  const dismiss = useMutation({ mutationFn: () => api.POST('/messages/{id}/dismiss', { params }), onSettled })
  return { resend, dismiss, error: resend.error ?? dismiss.error }
}
