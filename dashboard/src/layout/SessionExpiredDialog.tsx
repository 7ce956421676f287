import { Modal } from '@mantine/core'
import { type Query, useQueryClient } from '@tanstack/react-query'
import { EDITED_KEY } from '../api/query-client.ts'
import { SingleSignOnButton } from '../pages/sign-in/SignInOptions.tsx'
import { SignInForm } from '../pages/sign-in/SignInForm.tsx'

/** Excludes data that is being edited from the refetch after sign-in. */
const isNotEdited = ({ queryKey }: Query): boolean => queryKey[1] !== EDITED_KEY

/** Asks the user to sign in again, over the page, so that unsaved changes are kept. */
export function SessionExpiredDialog({ email }: { email: string }) {
  const client = useQueryClient()
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} title="Your session has ended" centered>
      <p className="t2" style={{ marginBottom: 16 }}>
        Sign in to continue. Your changes are still here.
      </p>
      <SignInForm email={email} onSignedIn={() => void client.invalidateQueries({ predicate: isNotEdited })} />
      <p className="small t3" style={{ marginTop: 12 }}>
        Single sign-on leaves this page. Unsaved changes will be lost.
      </p>
      <SingleSignOnButton to={location.pathname + location.search} />
    </Modal>
  )
}
