UPDATE applications SET texts = '{"de":{"alarm":"Hilfe!"}}', allowed_prefixes = '["+43"]';
