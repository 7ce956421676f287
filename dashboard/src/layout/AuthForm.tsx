import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiForm } from '../primitives/ApiForm.tsx'
import type { ApiForm as State } from '../primitives/use-api-form.ts'
import classes from './AuthLayout.module.css'

/** A form outside a workspace, such as sign-in. @param more follows the button */
export function AuthForm<Values, Result>({
  form,
  label,
  submitLabel,
  more,
  children,
}: {
  form: State<Values, Result>
  label: string
  submitLabel: string
  more?: ReactNode
  children: ReactNode
}) {
  return (
    <ApiForm
      form={form}
      label={label}
      hasUnsavedGuard={false}
      className={classes.fields ?? ''}
      fieldsClassName={classes.fields ?? ''}
    >
      {children}
      <Button type="submit" variant="filled" data-size="lg" loading={form.request.isPending}>
        {submitLabel}
      </Button>
      {more}
    </ApiForm>
  )
}
