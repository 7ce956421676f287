export const omit = <Of extends object, Name extends keyof Of>(of: Of, ...names: readonly Name[]): Omit<Of, Name> =>
  Object.fromEntries(Object.entries(of).filter(([key]) => !(names as readonly string[]).includes(key))) as Omit<
    Of,
    Name
  >
