import { Modal } from '@mantine/core'
import { type Query, useQueryClient } from '@tanstack/react-query'
import { EDITED_KEY } from '../api/query-client.ts'
import { SingleSignOnButton } from '../pages/sign-in/SignInOptions.tsx'
import { SignInForm } from '../pages/sign-in/SignInForm.tsx'

/** What is being edited is not read anew under somebody's hands. */
const isNotEdited = ({ queryKey }: Query): boolean => queryKey[1] !== EDITED_KEY

/** Over the page, because what is typed in it is not to be lost. */
export function SessionExpiredDialog({ email }: { email: string }) {
  const client = useQueryClient()
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} title="You are signed out" centered>
      <p className="t2" style={{ marginBottom: 16 }}>
        Your session has ended. Sign in to go on; what you have typed is still here.
      </p>
      <SignInForm email={email} onSignedIn={() => void client.invalidateQueries({ predicate: isNotEdited })} />
      <p className="small t3" style={{ marginTop: 12 }}>
        Another service takes you away from this page: what is not saved yet stays behind.
      </p>
      <SingleSignOnButton to={location.pathname + location.search} />
    </Modal>
  )
}
