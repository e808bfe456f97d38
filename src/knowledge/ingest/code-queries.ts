/** What is a definition, a call and an import in each grammar, as tree-sitter queries. */
const SCRIPT = `
(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(method_definition name: (_) @name) @def.method
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @def.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @def.variable)
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @def.variable)
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(function_expression) (arrow_function)]) @def.function
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (identifier) @require arguments: (arguments . (string) @import) (#eq? @require "require"))
(call_expression function: (import) arguments: (arguments . (string) @import))
`;

const TYPED = `
(class_declaration name: (type_identifier) @name) @def.class
(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(public_field_definition name: (property_identifier) @name value: (arrow_function)) @def.method
(method_signature name: (property_identifier) @name) @def.method
(extends_clause value: (identifier) @extends)
(implements_clause (type_identifier) @implements)
(type_annotation (type_identifier) @reference)
`;

export const CODE_QUERIES: Readonly<Record<string, string>> = {
  typescript: SCRIPT + TYPED,
  tsx: SCRIPT + TYPED,
  javascript: `${SCRIPT}
(class_declaration name: (identifier) @name) @def.class
(class_heritage (identifier) @extends)
(pair key: (property_identifier) @name value: [(function_expression) (arrow_function)]) @def.method
`,
  python: `
(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
(module (expression_statement (assignment left: (identifier) @name)) @def.variable)
(class_definition superclasses: (argument_list (identifier) @extends))
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)
`,
  go: `
(function_declaration name: (identifier) @name) @def.function
(method_declaration name: (field_identifier) @name) @def.method
(type_spec name: (type_identifier) @name type: (struct_type)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @def.interface
(type_declaration (type_spec name: (type_identifier) @name)) @def.type
(const_spec name: (identifier) @name) @def.constant
(source_file (var_declaration (var_spec name: (identifier) @name)) @def.variable)
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(import_spec path: (interpreted_string_literal) @import)
(type_identifier) @reference
`,
  rust: `
(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(trait_item name: (type_identifier) @name) @def.interface
(type_item name: (type_identifier) @name) @def.type
(mod_item name: (identifier) @name) @def.module
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.variable
(macro_definition name: (identifier) @name) @def.function
(impl_item trait: (type_identifier) @implements)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(macro_invocation macro: (identifier) @call)
(use_declaration argument: (_) @import)
(mod_item name: (identifier) @import !body)
`,
  java: `
(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(record_declaration name: (identifier) @name) @def.class
(method_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.variable
(superclass (type_identifier) @extends)
(super_interfaces (type_list (type_identifier) @implements))
(method_invocation name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(import_declaration (scoped_identifier) @import)
`,
};

/** Definitions by their looks, for languages without a grammar here. */
export const DEFINITION_LINE =
  /^\s*(?:(?:export|public|private|protected|internal|static|async|abstract|final|override|inline|pub|local|default|virtual|sealed|data|open)\s+)*(?<kind>function|func|fun|fn|def|class|struct|interface|trait|enum|module|namespace|type|protocol|object|macro|sub|proc|procedure|contract)\s+(?<name>[A-Za-z_$][\w$.:?!]*)/u;
