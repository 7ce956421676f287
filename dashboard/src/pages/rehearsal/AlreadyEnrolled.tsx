import { useWorkspaceQuery } from '../../api/workspace.tsx'
import classes from './rehearsal.module.css'

/** Points out that the contact is in the automation already, which a rehearsal for a contact ignores. */
export function AlreadyEnrolled({ automationId, contactId }: { automationId: string; contactId: string }) {
  const { data: enrollments } = useWorkspaceQuery(
    ['contacts', contactId, 'active-enrollments'],
    async (api, signal) => {
      const params = { path: { id: contactId }, query: { status: 'ACTIVE', limit: 100 } } as const
      return (await api.GET('/contacts/{id}/enrollments', { params, signal })).data.data
    },
  )
  if (!enrollments?.some((enrollment) => enrollment.automationId === automationId)) return null
  return (
    <p className={`t2 ${classes.notice}`}>
      The contact is already in this automation. The rehearsal ignores that enrollment, and begins another one.
    </p>
  )
}
