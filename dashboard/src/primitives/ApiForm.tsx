import { Button } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isSignedOut } from '../api/client.ts'
import { ErrorBanner } from '../components/ErrorBanner.tsx'
import { UnsavedChangesGuard } from '../components/UnsavedChanges.tsx'
import { focusInvalidField } from '../lib/has-invalid-field.ts'
import { useReturnFocus } from '../lib/use-return-focus.ts'
import type { ApiForm as State } from './use-api-form.ts'

/**
 * A form with its buttons. It warns a user who leaves with unsaved changes, shows errors, and gives the focus back when it closes.
 *
 * @param label its name for screen readers, and its heading if `hasHeading`
 * @param submitLabel a verb and its object. Without one, the fields contain the button
 * @param onCancel closes the form. Without one, the form is always open
 * @param hasUnsavedGuard whether leaving the page with unsaved changes asks for confirmation
 * @param closesWith the search parameter whose change closes the form, if any
 * @param more follows the buttons
 */
export function ApiForm<Values, Result>({
  form,
  label,
  hasHeading = false,
  submitLabel,
  onCancel,
  hasUnsavedGuard = true,
  closesWith,
  more,
  className = 'card',
  fieldsClassName = 'formFields',
  children,
}: {
  form: State<Values, Result>
  label: string
  hasHeading?: boolean
  submitLabel?: string | undefined
  onCancel?: (() => void) | undefined
  hasUnsavedGuard?: boolean
  closesWith?: string
  more?: ReactNode
  className?: string | undefined
  fieldsClassName?: string | undefined
  children: ReactNode
}) {
  useReturnFocus(onCancel !== undefined)
  const { request, otherError } = form
  const isLoadingPage = useRouterState({ select: ({ status }) => status === 'pending' })
  // What follows a success may be a page whose code is still loading.
  const isBusy = request.isPending || (request.isSuccess && isLoadingPage)
  return (
    <form
      className={className}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        if (!form.isReadOnly && !focusInvalidField(event.currentTarget)) form.submit(event)
      }}
    >
      {hasHeading && <h2>{label}</h2>}
      {hasUnsavedGuard && (
        <UnsavedChangesGuard
          isDirty={form.hasChanges && !request.isSuccess}
          isSending={request.isPending}
          closesWith={closesWith}
        />
      )}
      {/* The dialog for signing in is the answer to an ended session. */}
      {otherError && !isSignedOut(otherError) && <ErrorBanner error={otherError} scrollsIntoView />}
      <fieldset className={`plainFields ${fieldsClassName}`} disabled={isBusy}>
        {children}
      </fieldset>
      {submitLabel !== undefined && !form.isReadOnly && (
        <div className="row">
          <Button type="submit" variant="filled" loading={isBusy}>
            {submitLabel}
          </Button>
          {onCancel && (
            <Button variant="subtle" color="gray" onClick={onCancel} disabled={isBusy}>
              Cancel
            </Button>
          )}
          {more}
        </div>
      )}
    </form>
  )
}
