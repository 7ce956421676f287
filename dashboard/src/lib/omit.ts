export const omit = <Of extends object, Name extends keyof Of>(of: Of, name: Name): Omit<Of, Name> =>
  Object.fromEntries(Object.entries(of).filter(([key]) => key !== name)) as Omit<Of, Name>
