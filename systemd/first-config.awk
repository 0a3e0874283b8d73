# Makes the configuration of an installed service from config/tocsin.example.yaml. Variables: provider, public_url (may be empty).
# A section and a key count only with the # in front of them gone; `port` stands in four sections.
/^#?[a-zA-Z]+:/ { section = $0; sub(/^#/, "", section); sub(/:.*/, "", section) }
/^#dataDir:/ { print "dataDir: /var/lib/tocsin"; next }
/^#publicUrl:/ && public_url != "" { print "publicUrl: " public_url; next }
/^#https:/ || (/^#notifications:/ && provider != "outbox") { sub(/^#/, "") }
section == "https" && /^#  port:/ { print "  port: 443"; next }
section == "notifications" && provider != "outbox" && /^#  providers:/ { print "  providers: [" provider "]"; next }
{ print }
