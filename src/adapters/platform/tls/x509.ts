/** In a module of its own: a build gives what is imported later, and is no ES module, a default export only. */
export * as x509 from '@peculiar/x509'
